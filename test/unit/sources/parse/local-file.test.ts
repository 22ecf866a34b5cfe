import { expect, test } from 'vitest';
import { readLocalFile } from '../../../../src/sources/parse/local-file.ts';
import type { DeclaredWorkflow } from '../../../../src/sources/types.ts';

function saidIn(text: string): DeclaredWorkflow {
  const [section, ...others] = readLocalFile(text);
  if (section?.state !== 'active')
    throw new Error(`not active but ${section?.state}`);
  expect(others).toEqual([]);
  return section.said;
}

const workflowsIn = (text: string): string[] =>
  readLocalFile(text).map(({ said }) => said.workflow);

const declare = (...lines: string[]): string =>
  [
    '# Workflow State',
    'Workflow: SEO',
    'Phase: 4/10 - Generation',
    ...lines,
  ].join('\n');

test('a complete declaration is parsed', () => {
  const text = `# Current Workflow State

**Workflow**: Page SEO (Batch 2)
**Type**: qa-loop
**Phase**: 4/10 - SEO Generation (in progress)

## Required Reading
@CLAUDE/PlanWorkflow.md
- @docs/seo guide.md - the house style

## Key Reminders
- Never skip QA
- [ ] One page at a time,
slowly

1. Commit often

**Context:**
- plan_number: 66
- plan: 066-seo
- verified
`;
  expect(readLocalFile(text)).toEqual([
    {
      state: 'active',
      said: {
        workflow: 'Page SEO (Batch 2)',
        workflow_type: 'qa-loop',
        phase: {
          current: 4,
          total: 10,
          name: 'SEO Generation',
          status: 'in_progress',
        },
        required_reading: ['@CLAUDE/PlanWorkflow.md', '@docs/seo guide.md'],
        key_reminders: [
          'Never skip QA',
          'One page at a time, slowly',
          'Commit often',
        ],
        context: { plan_number: 66, plan: '066-seo', verified: true },
      },
    },
  ]);
});

test.each([
  ['Workflow: SEO', 'Phase: 2/3 - Build'],
  ['**Workflow:** SEO', '**Phase:** 2/3 - Build'],
  ['> Workflow: SEO', '> Phase: 2/3 - Build'],
  ['_Workflow: SEO_', 'Phase: **2/3** - Build'],
  ['🚀 Workflow: SEO', '- [ ] Phase: 2/3 - Build'],
  ['| Workflow: | SEO |', '| Phase: | 2/3 - Build |'],
  ['Workflow:SEO', 'Phase :2/3 - Build'],
  ['Workflow: SEO', 'Phase: 2/3 - Build\n---'],
])('decoration does not matter: %j, %j', (workflow, phase) => {
  expect(saidIn(`# Workflow State\n\n${workflow}\n${phase}\n`)).toMatchObject({
    workflow: 'SEO',
    phase: { current: 2, total: 3, name: 'Build' },
  });
});

test.each([
  ['the next heading of the same level', '## Workflow State', '## Notes'],
  ['the next heading of a higher level', '## Workflow State', '# Notes'],
  ['an underlined heading', '## Workflow State', 'Notes\n---'],
  [
    'any heading, below a marker that is a line',
    '**Workflow State**',
    '### Notes',
  ],
  ['the next marker', 'Workflow State', 'Workflow State'],
])('a section ends at %s', (_, marker, end) => {
  const text = `${marker}\nWorkflow: A\nPhase: 1/2\n\n${end}\n@b.md\n- k: v\nType: planning\n`;
  expect(saidIn(text)).toEqual({
    workflow: 'A',
    phase: { current: 1, total: 2 },
    required_reading: [],
    key_reminders: [],
    context: {},
  });
});

test.each([
  ['a deeper heading', '## Workflow State', '### Notes'],
  ['a list below a marker that is a line', '**Workflow State**', '## Context'],
  ['a rule directly below a path', '### Workflow State', '@a.md\n---'],
])('a section goes on after %s', (_, marker, line) => {
  const text = `${marker}\nWorkflow: A\nPhase: 1/2\n\n${line}\n@b.md\n`;
  expect(saidIn(text).required_reading).toContain('@b.md');
});

test('a marker inside a section has its own workflow', () => {
  const text =
    '# Workflow State\nWorkflow: A\nPhase: 1/2\n## Old workflow state\nWorkflow: B\nPhase: 1/1\n@b.md\n## Context\n- k: v\n';
  expect(readLocalFile(text)).toMatchObject([
    { said: { workflow: 'A', required_reading: [], context: { k: 'v' } } },
    { said: { workflow: 'B', required_reading: ['@b.md'], context: {} } },
  ]);
});

test('a line such as `Workflow State: active` does not split a declaration', () => {
  const text =
    '# Current Workflow State\nWorkflow: A\nWorkflow State: active\nPhase: 1/2\n';
  expect(workflowsIn(text)).toEqual(['A']);
});

test('of two sections about one workflow the first active one counts', () => {
  const section = (phase: string): string =>
    `# Workflow State\nWorkflow: A\nPhase: ${phase}\n`;
  expect(saidIn(section('2/3') + section('1/3')).phase).toMatchObject({
    current: 2,
  });
  expect(saidIn(section('3/3 (done)') + section('1/3')).phase).toMatchObject({
    current: 1,
  });
  expect(saidIn(section('1/3') + section('3/3 (done)')).phase).toMatchObject({
    current: 1,
  });
});

test('front matter, also with a comment first, does not hide a section', () => {
  const section = '# Workflow State\nWorkflow: A\nPhase: 1/2\n';
  expect(workflowsIn(`---\n# a comment\ntitle: x\n---\n${section}`)).toEqual([
    'A',
  ]);
  expect(
    workflowsIn(`---\n# Workflow State\ntitle: x\n---\n${section}`),
  ).toEqual(['A']);
});

test.each([
  ['* `@docs/a.md`', '@docs/a.md'],
  ['@docs/a.md - the rules', '@docs/a.md'],
  ['@docs/a.md (the rules)', '@docs/a.md'],
  ['@docs/a.md.', '@docs/a.md'],
  ['@docs/My Notes/a b.md', '@docs/My Notes/a b.md'],
  ['@docs/notes (old).md', '@docs/notes (old).md'],
  ['@Makefile', '@Makefile'],
  ['@~/shared/a.md', '@~/shared/a.md'],
  ['@docs/a.md#the-first-part - the rules', '@docs/a.md'],
  ['@Makefile#L3', '@Makefile'],
  ['@docs/C#/a.md', '@docs/C#/a.md'],
  ['@docs/notes#1.md', '@docs/notes#1.md'],
])('%s is reading', (line, path) => {
  expect(saidIn(declare(line)).required_reading).toEqual([path]);
});

test.each([
  '@alice please look',
  '@',
  'see @docs/a.md',
  '```\n@docs/a.md\n```',
  '<!-- @docs/a.md -->',
])('%j is not reading', (line) => {
  expect(saidIn(declare(line)).required_reading).toEqual([]);
});

test.each([
  'Key Reminders:\n- a\n- b',
  '## Key Reminders\n\n- a\n\n- b',
  '### ⚠️ Key Reminders:\n- [x] a\n- [ ] b',
  'key reminders: a\n-\n- b',
  '> Key Reminders:\n> - a\n> - b',
])('reminders as %j', (section) => {
  expect(saidIn(declare('', section)).key_reminders).toEqual(['a', 'b']);
});

test.each([
  '## Notes',
  'Type: planning',
  '@docs/a.md',
  'Some paragraph.',
  '**Context**',
  '---',
])('reminders end at %j', (line) => {
  const text = declare(
    '',
    'Key Reminders:',
    '- a',
    '',
    line,
    '',
    '- not a reminder',
  );
  expect(saidIn(text).key_reminders).toEqual(['a']);
});

test('a bullet such as `type: x` is a field until workflow and phase are known, then a list item', () => {
  const missing =
    '# Workflow State\n- Key Reminders:\n  - a\n- Workflow: SEO\n- Phase: 1/2';
  expect(saidIn(missing)).toMatchObject({
    workflow: 'SEO',
    key_reminders: ['a'],
  });
  const known = saidIn(
    declare('', 'Context:', '- type: web', '- phase: alpha'),
  );
  expect(known.context).toEqual({ type: 'web', phase: 'alpha' });
  expect(known.workflow_type).toBeUndefined();
});

test.each([
  ['- version: 1.10', { version: '1.10' }],
  ['- pages: ["a","b"]', { pages: ['a', 'b'] }],
  ['- **Site name:** Example', { 'Site name': 'Example' }],
  ['- `branch`: `feature/x`', { branch: 'feature/x' }],
  ['- url: https://example.org/a', { url: 'https://example.org/a' }],
  ['- https://example.org/a', { 'https://example.org/a': true }],
])('context item %s', (item, expected) => {
  expect(saidIn(declare('', 'Context:', item)).context).toEqual(expected);
});
