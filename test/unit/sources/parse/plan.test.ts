import { expect, test } from 'vitest';
import { readPlan } from '../../../../src/sources/parse/plan.ts';
import type { DeclaredWorkflow } from '../../../../src/sources/types.ts';

const PATH = 'CLAUDE/Plan/066-seo/PLAN.md';

function saidIn(text: string, path = PATH): DeclaredWorkflow {
  const reading = readPlan(text, path);
  if (reading.state !== 'active')
    throw new Error(`not active but ${reading.state}`);
  return reading.said;
}

const active = (...lines: string[]): string =>
  [
    '# Plan 066: SEO',
    '',
    '**Status**: In Progress',
    '',
    ...lines,
    '',
    'A workflow.',
  ].join('\n');

test('only the first 20,000 lines of a plan and of its front matter are read', () => {
  const filler = 'x\n'.repeat(19_000);
  expect(saidIn(active(filler, '### Phase 1: Design')).phases).toEqual([
    'Design',
  ]);
  const endless = filler.repeat(2);
  expect(
    saidIn(active('### Phase 1: Design', endless, '### Phase 2: Build')).phases,
  ).toEqual(['Design']);
  expect(
    readPlan(
      `---\ntitle: x\n${endless}status: in progress\n---\nA workflow.`,
      PATH,
    ).state,
  ).not.toBe('active');
});

test('a complete plan is parsed', () => {
  const text = `# Plan 066: SEO Optimization Workflow

**Status**: 🔄 In Progress (since Monday)
**Type**: qa-loop

See CLAUDE/Seo/Rules.md and \`.claude/skills/seo.md\`.

## Phases
### ✅ Phase 1: Design
- [ ] left over
### Phase 2 - Build 🔄
### Phase 3 — Ship
`;
  expect(readPlan(text, PATH)).toEqual({
    state: 'active',
    said: {
      workflow: 'SEO Optimization Workflow',
      workflow_type: 'qa-loop',
      phase: { current: 2, total: 3, name: 'Build', status: 'in_progress' },
      phases: ['Design', 'Build', 'Ship'],
      required_reading: [
        '@CLAUDE/Plan/066-seo/PLAN.md',
        '@CLAUDE/PlanWorkflow.md',
        '@CLAUDE/Seo/Rules.md',
        '@.claude/skills/seo.md',
      ],
      key_reminders: [],
      context: { plan_number: 66, plan_name: '066-seo' },
    },
  });
});

test.each([
  ['# Plan 066: SEO Optimization Workflow', 'SEO Optimization Workflow'],
  ['# PLAN-066: SEO', 'SEO'],
  ['# 🚀 Plan #66: **SEO**', 'SEO'],
  ['# Plan-based rollout', 'Plan-based rollout'],
  ['Plan 066: SEO\n===', 'SEO'],
  ['# Plan 066:', '066-seo'],
])('the title %j names the workflow %s', (title, workflow) => {
  expect(
    saidIn(`${title}\n\n**Status**: In Progress\n\nA workflow.\n`).workflow,
  ).toBe(workflow);
});

test('a title that begins with "Phase" is the title', () => {
  const text =
    '# Phase 2 rollout plan\n\n**Status**: In Progress\n\n## ✅ Phase 1: A\n## Phase 2: B\n';
  expect(saidIn(text)).toMatchObject({
    workflow: 'Phase 2 rollout plan',
    phases: ['A', 'B'],
    phase: { current: 2, total: 2, name: 'B' },
  });
  expect(saidIn('# Phase 1: Design\nStatus: In Progress\n')).not.toHaveProperty(
    'phases',
  );
});

test('phases may be headings of level 1, with or without a title', () => {
  const phases =
    '# Phase 1: A\n**Status**: Done\n# Phase 2: B\n**Status**: Done\n# Status\nIn Progress\n';
  expect(saidIn(phases)).toMatchObject({
    workflow: 'Status',
    phases: ['A', 'B'],
  });
  expect(saidIn(`# SEO\n${phases}`)).toMatchObject({
    workflow: 'SEO',
    phases: ['A', 'B'],
  });
  const long = `# Phase 1: A\n**Status**: Done\n\n${'Words.\n\n'.repeat(500)}# Phase 2: B\n# Status\nIn Progress\n`;
  expect(saidIn(long).phases).toEqual(['A', 'B']);
});

test.each([
  [
    'CLAUDE/Plan/00042-user-auth/PLAN.md',
    { plan_number: 42, plan_name: '00042-user-auth' },
  ],
  ['CLAUDE/Plan/user-auth/PLAN.md', { plan_name: 'user-auth' }],
])('the folder gives number and name: %s', (path, context) => {
  expect(saidIn(active(), path).context).toEqual(context);
});

test('of the documents that a plan names, some are not of the project, and not all are looked for', () => {
  const text = active(
    'Read CLAUDE/A.md, [c](CLAUDE/b/C.md#top) and `@.claude/d.md`. Again: ./CLAUDE/A.md!',
    `docs/CLAUDE/e.md CLAUDE/../CLAUDE/e.md CLAUDE/f.txt ${PATH}`,
    '<!-- CLAUDE/e.md -->',
  );
  const first = [
    PATH,
    'CLAUDE/PlanWorkflow.md',
    'CLAUDE/A.md',
    'CLAUDE/b/C.md',
    '.claude/d.md',
  ];
  expect(saidIn(text).required_reading).toEqual(
    first.map((path) => `@${path}`),
  );
  const names = Array.from(
    { length: 5000 },
    (_, index) => `CLAUDE/${index}.md`,
  ).join('\n');
  expect(saidIn(active(names)).required_reading).toHaveLength(200);
});
