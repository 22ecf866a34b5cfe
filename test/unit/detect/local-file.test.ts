import { expect, test } from 'vitest';
import { readLocalFile } from '../../../src/detect/local-file.ts';
import type { DeclaredWorkflow } from '../../../src/detect/types.ts';

function saidIn(text: string): DeclaredWorkflow {
  const reading = readLocalFile(text);
  if (reading.state !== 'active') throw new Error(`not active but ${reading.state}`);
  return reading.said;
}

const declare = (...lines: string[]): string =>
  ['# Workflow State', 'Workflow: SEO', 'Phase: 4/10 - Generation', ...lines].join('\n');

test('a whole declaration is read', () => {
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
  expect(readLocalFile(text)).toEqual({
    state: 'active',
    said: {
      workflow: 'Page SEO (Batch 2)',
      workflow_type: 'qa-loop',
      phase: { current: 4, total: 10, name: 'SEO Generation', status: 'in_progress' },
      required_reading: ['@CLAUDE/PlanWorkflow.md', '@docs/seo guide.md'],
      key_reminders: ['Never skip QA', 'One page at a time, slowly', 'Commit often'],
      context: { plan_number: 66, plan: '066-seo', verified: true },
    },
  });
});

test.each([
  '# Current Workflow State',
  'WORKFLOW STATE',
  'workflow state:',
  '**Workflow State**:',
  '**Workflow State:**',
  '## 🔄 Workflow State',
  '### Active Workflow State (auto-saved)',
  '## Claude Workflow State - do not delete',
  '> **Workflow State**',
  '- Workflow State',
  '• Workflow State',
  '=== WORKFLOW STATE ===',
  'Workflow State\n---',
])('%j is a marker', (marker) => {
  expect(readLocalFile(`${marker}\nWorkflow: SEO\nPhase: 1/2\n`).state).toBe('active');
});

test.each([
  'Remember to keep the workflow state up to date.',
  'The workflow state: it is kept elsewhere',
  'Workflow state is saved by a hook',
  'workflow state (see below) is important',
  '## Why workflow state matters',
  '`````\nWorkflow State\n`````',
  '<!-- Workflow State -->',
  '    # Workflow State',
  'workflows',
])('%j is no marker', (text) => {
  expect(readLocalFile(`${text}\n\nWorkflow: SEO\nPhase: 1/2\n`)).toEqual({ state: 'none' });
});

test.each([
  ['no workflow line', '# Workflow State\nPhase: 1/2'],
  ['no phase line', '# Workflow State\nWorkflow: SEO'],
  ['a workflow without a name', '# Workflow State\nWorkflow: ** **\nPhase: 1/2'],
  ['prose about a workflow', '# Workflow State\nMy workflow: first this.\nEach phase: that.'],
  ['an example in a fence', '# Workflow State\n```\nWorkflow: SEO\nPhase: 1/2\n```'],
  ['an example in a comment', '# Workflow State\n<!--\nWorkflow: SEO\n\nPhase: 1/2\n-->'],
  ['nothing', ''],
])('%s declares no workflow', (_, text) => {
  expect(readLocalFile(text)).toEqual({ state: 'none' });
});

test.each([
  ['Workflow: SEO', 'Phase: 2/3 - Build'],
  ['**Workflow**: SEO', '**Phase**: 2/3 - Build'],
  ['**Workflow:** SEO', '**Phase:** 2/3 - Build'],
  ['- Workflow: SEO', '- Phase: 2/3 - Build'],
  ['* **Workflow:** SEO', '* **Phase:** 2/3 - Build'],
  ['1. Workflow: SEO', '2. Phase: 2/3 - Build'],
  ['## Workflow: SEO', '## Phase: 2/3 - Build'],
  ['> Workflow: SEO', '> Phase: 2/3 - Build'],
  ['__Workflow__: SEO', '__Phase:__ 2/3 - Build'],
  ['_Workflow: SEO_', '*Phase: 2/3 - Build*'],
  ['**Workflow: SEO**', '**Phase: 2/3 - Build**'],
  ['Workflow: `SEO`', 'Phase: `2/3 - Build`'],
  ['Workflow: **SEO**', 'Phase: **2/3** - Build'],
  ['WORKFLOW: SEO', 'phase: 2/3 - Build'],
  ['🚀 Workflow: SEO', '- [ ] Phase: 2/3 - Build'],
  ['Workflow:SEO', 'Phase :2/3 - Build'],
  ['Workflow: SEO', 'Phase: 2/3 - Build\n---'],
])('decoration does not matter: %j, %j', (workflow, phase) => {
  expect(saidIn(`# Workflow State\n\n${workflow}\n${phase}\n`)).toMatchObject({
    workflow: 'SEO',
    phase: { current: 2, total: 3, name: 'Build' },
  });
});

test('the first fields after the marker win, one before it counts only if there is none', () => {
  const text = 'Workflow: old\nPhase: 1/9\n# Workflow State\nWorkflow: new\nWorkflow: later\n';
  expect(saidIn(text)).toMatchObject({ workflow: 'new', phase: { current: 1, total: 9 } });
});

test('an empty line of a field costs that line only', () => {
  const text = '# Workflow State\nWorkflow:\nWorkflow: SEO\nPhase: 99/3\nType:\nType: planning';
  expect(saidIn(text)).toEqual({
    workflow: 'SEO',
    workflow_type: 'planning',
    required_reading: [],
    key_reminders: [],
    context: {},
  });
});

test('the last phase completed is a finished workflow, an earlier one is not', () => {
  const at = (phase: string): string =>
    readLocalFile(`# Workflow State\nWorkflow: SEO\nPhase: ${phase}`).state;
  expect(at('3/3 - Ship (completed)')).toBe('finished');
  expect(at('3/3 - Ship')).toBe('active');
  expect(at('2/3 - Build (completed)')).toBe('active');
  expect(at('Ship (completed)')).toBe('active');
});

test.each([
  ['@CLAUDE/PlanWorkflow.md', '@CLAUDE/PlanWorkflow.md'],
  ['- @docs/a.md', '@docs/a.md'],
  ['* `@docs/a.md`', '@docs/a.md'],
  ['1. @docs/a.md', '@docs/a.md'],
  ['- [ ] @docs/a.md', '@docs/a.md'],
  ['> @docs/a.md', '@docs/a.md'],
  ['**@docs/a.md**', '@docs/a.md'],
  ['@docs/a.md - the rules', '@docs/a.md'],
  ['@docs/a.md — the rules', '@docs/a.md'],
  ['@docs/a.md (the rules)', '@docs/a.md'],
  ['@docs/a.md: the rules', '@docs/a.md'],
  ['`@docs/a.md` the rules', '@docs/a.md'],
  ['@docs/a.md please read this first', '@docs/a.md'],
  ['@docs/a.md.', '@docs/a.md'],
  ['@docs/My Notes/a b.md', '@docs/My Notes/a b.md'],
  ['@My Notes.md', '@My Notes.md'],
  ['@My docs/notes', '@My docs/notes'],
  ['@docs/notes (old).md', '@docs/notes (old).md'],
  ['@Makefile', '@Makefile'],
  ['@~/shared/a.md', '@~/shared/a.md'],
])('%s is reading', (line, path) => {
  expect(saidIn(declare(line)).required_reading).toEqual([path]);
});

test('several paths may share a line, and none is listed twice', () => {
  expect(saidIn(declare('@a.md @b.md, @c.md', '@b.md')).required_reading).toEqual([
    '@a.md',
    '@b.md',
    '@c.md',
  ]);
});

test.each([
  '@alice please look',
  '@',
  'see @docs/a.md',
  '```\n@docs/a.md\n```',
  '<!-- @docs/a.md -->',
])('%j is no reading', (line) => {
  expect(saidIn(declare(line)).required_reading).toEqual([]);
});

test('a path before the marker is not this workflow’s', () => {
  expect(saidIn(`@before.md\n${declare('@after.md')}`).required_reading).toEqual(['@after.md']);
});

test.each([
  'Key Reminders:\n- a\n- b',
  '**Key Reminders**:\n* a\n* b',
  '**Key Reminders**\n1. a\n2. b',
  '## Key Reminders\n\n- a\n\n- b',
  '### ⚠️ Key Reminders:\n- [x] a\n- [ ] b',
  'key reminders: a\n- b',
  '- Key Reminders:\n  - a\n  - b',
  '> Key Reminders:\n> - a\n> - b',
])('reminders as %j', (section) => {
  expect(saidIn(declare('', section)).key_reminders).toEqual(['a', 'b']);
});

test.each(['## Notes', 'Type: planning', '@docs/a.md', 'Some paragraph.', '**Context**', '---'])(
  'reminders end at %j',
  (line) => {
    const text = declare('', 'Key Reminders:', '- a', '', line, '', '- not a reminder');
    expect(saidIn(text).key_reminders).toEqual(['a']);
  },
);

test('a fence inside the reminders is left out', () => {
  const text = declare('', 'Key Reminders:', '- a', '  ```', '  - example', '  ```', '- b');
  expect(saidIn(text).key_reminders).toEqual(['a', 'b']);
});

test('fields among the bullets are fields while they are missing, items afterwards', () => {
  const missing = '# Workflow State\n- Key Reminders:\n  - a\n- Workflow: SEO\n- Phase: 1/2';
  expect(saidIn(missing)).toMatchObject({ workflow: 'SEO', key_reminders: ['a'] });
  const known = saidIn(declare('', 'Context:', '- type: web', '- phase: alpha'));
  expect(known.context).toEqual({ type: 'web', phase: 'alpha' });
  expect(known.workflow_type).toBeUndefined();
});

test.each([
  ['- count: 3', { count: 3 }],
  ['- on: true', { on: true }],
  ['- version: 1.10', { version: '1.10' }],
  ['- ticket: 007', { ticket: '007' }],
  ['- pages: ["a","b"]', { pages: ['a', 'b'] }],
  ['- **Site name:** Example', { 'Site name': 'Example' }],
  ['- `branch`: `feature/x`', { branch: 'feature/x' }],
  ['- url: https://example.org/a', { url: 'https://example.org/a' }],
  ['- https://example.org/a', { 'https://example.org/a': true }],
  ['- key:value', { key: 'value' }],
  ['- reviewed by Bob', { 'reviewed by Bob': true }],
  ['- : nothing', {}],
])('context item %s', (item, expected) => {
  expect(saidIn(declare('', 'Context:', item)).context).toEqual(expected);
});

test('a context key __proto__ is a key like any other', () => {
  const { context } = saidIn(declare('', 'Context:', '- __proto__: 1', '- constructor: 2'));
  expect(Object.entries(context)).toEqual([
    ['__proto__', 1],
    ['constructor', 2],
  ]);
  expect(Object.getPrototypeOf(context)).toBe(Object.prototype);
});

test.each([
  '**Workflow State** (auto)',
  'WORKFLOW STATE - DO NOT DELETE',
  '[Workflow State]',
  '# My Project - Workflow State',
  '# Workflow State for Shop',
])('%j is a marker', (marker) => {
  expect(readLocalFile(`${marker}\n\nWorkflow: X\nPhase: 1/2\n`).state).toBe('active');
});
