import { expect, test } from 'vitest';
import { readPlan } from '../../../src/detect/plan.ts';
import type { DeclaredWorkflow, SourceStatus } from '../../../src/detect/types.ts';

const PATH = 'CLAUDE/Plan/066-seo/PLAN.md';

function read(text: string, existing: string[] = [], path = PATH): SourceStatus {
  return readPlan(text, { path, exists: (file) => existing.includes(file) });
}

function saidIn(text: string, existing: string[] = [], path = PATH): DeclaredWorkflow {
  const reading = read(text, existing, path);
  if (reading.state !== 'active') throw new Error(`not active but ${reading.state}`);
  return reading.said;
}

const active = (...lines: string[]): string =>
  ['# Plan 066: SEO', '', '**Status**: In Progress', '', ...lines, '', 'A workflow.'].join('\n');

test('only the first 20,000 lines of a plan and of its front matter are read', () => {
  const filler = 'x\n'.repeat(19_000);
  expect(saidIn(active(filler, '### Phase 1: Design')).phases).toEqual(['Design']);
  const endless = filler.repeat(2);
  expect(saidIn(active('### Phase 1: Design', endless, '### Phase 2: Build')).phases).toEqual([
    'Design',
  ]);
  expect(read(`---\ntitle: x\n${endless}status: in progress\n---\nA workflow.`).state).not.toBe(
    'active',
  );
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
  expect(read(text, ['CLAUDE/PlanWorkflow.md', 'CLAUDE/Seo/Rules.md'])).toEqual({
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
      ],
      key_reminders: [],
      context: { plan_number: 66, plan_name: '066-seo' },
    },
  });
});

test.each([
  '🔄 In Progress',
  '🔄 **In Progress**',
  'In progress (phase 2)',
  '**Status**: In Progress (2 of 5)',
  '**Status:** In Progress',
  '**Status**: **In Progress**',
  'Status: 🔄 in_progress',
  'status: IN-PROGRESS',
  'Plan Status: In Progress',
  '**Current Status**: In Progress, nearly there',
  '- **Status:** In Progress',
  '> **Status**: In Progress',
  '**Status**: ~~Not started~~ In Progress',
  '**Status**: <!-- one of … -->In Progress',
  '**Owner**: Bob\n**Status**: In Progress\n**Phase**: 2\n---',
  '## Status: In Progress (Phase 2)',
  '## Status\n\n🔄 In Progress',
  '## Status\n\n- In Progress: tests are missing',
  '## 📊 Current Status\n**In Progress**',
  'Status\n------\nIn Progress',
  '| Status | 🔄 In Progress |\n|---|---|\n| Owner | Bob |',
  '| Field | Value |\n|---|---|\n| **Status** | In Progress |',
  '## Overview\n\n**Status**: In Progress',
])('a plan is active that says %j', (status) => {
  expect(read(`# Plan 066: SEO workflow\n\n${status}\n`).state).toBe('active');
});

test.each(['status: in_progress', 'Status: "In Progress"', 'id: 66\nstatus: in-progress # yes'])(
  'a plan is active whose front matter says %j',
  (yaml) => {
    const text = `---\n${yaml}\n---\n# Plan 066: SEO\n\nA workflow.\n`;
    expect(saidIn(text).workflow).toBe('SEO');
    expect(saidIn(text.replaceAll('\n', '\r\n')).workflow).toBe('SEO');
  },
);

test('a rule above the title does not start front matter', () => {
  expect(read('---\n# SEO workflow\n**Status**: In Progress\n---\n').state).toBe('active');
});

test.each([
  '---\n# generated, do not edit\nstatus: in_progress\n---\n# Plan 066: SEO\n\nA workflow.\n',
  '---\n# status: completed\n\n# more\nstatus: in progress\n---\n# Plan 066: SEO\nA workflow.\n',
  '---\n# x\nstatus: in progress\n---\nPlan 066: SEO\n===\nA workflow.\n',
])('front matter may begin with a comment: %j', (text) => {
  expect(saidIn(text).workflow).toBe('SEO');
  expect(saidIn(text.replaceAll('\n', '\r\n')).workflow).toBe('SEO');
});

test('a title between two rules is not a comment in front matter', () => {
  const text = '---\n# SEO workflow\nStatus: In Progress\n---\nSome words.\n';
  expect(saidIn(text).workflow).toBe('SEO workflow');
});

test.each([
  '# 🔄 SEO workflow',
  '# SEO workflow 🔄',
  '# SEO\n## 🔄 Phase 1: A',
  '# SEO\n### Phase 2: B 🔄',
])('without a status field, 🔄 in the title or a phase heading makes a plan active: %j', (text) => {
  expect(read(`${text}\n`).state).toBe('active');
});

test.each([
  '# 🔄 SEO workflow\n**Status**: Not started',
  '# 🔄 SEO workflow\n**Status**: ✅ Complete',
  '# 🔄 SEO workflow\n**Status**: Unclear',
  '---\nstatus: draft\n---\n# 🔄 SEO workflow',
  '# SEO workflow\n**Status**: Done\n## 🔄 Phase 1: A',
  '# SEO workflow\n## 🔄 Legend',
  '# SEO workflow\n🔄 a paragraph',
  '# SEO workflow\n- 🔄 an item',
  '# SEO workflow\n```\n# 🔄 Phase 1\n```',
  '# ~~🔄~~ SEO workflow',
  '# ✅ SEO workflow\n## 🔄 Phase 1: A',
])('otherwise 🔄 does not make a plan active: %j', (text) => {
  expect(read(`${text}\n`).state).not.toBe('active');
});

test.each([
  ['🔄', 'active'],
  ['🔄 Building', 'active'],
  ['✅', 'finished'],
  ['🔄 Blocked', 'inactive'],
  ['⬜', 'inactive'],
])('a status field that says %s makes a plan %s', (status, state) => {
  expect(read(`# SEO workflow\n**Status**: ${status}\n`).state).toBe(state);
});

test.each([
  'Complete',
  '✅ Completed',
  'Done!',
  'Finished',
  'Cancelled',
  'canceled',
  'Abandoned',
  'Superseded by 067',
])('a plan is finished that says %s, whatever its tasks say', (status) => {
  const text = `# SEO workflow\n**Status**: ${status} (was in progress)\n## Phase 1\n**Status**: In Progress\n- [ ] Status: in progress\n`;
  expect(read(text)).toEqual({ state: 'finished' });
});

test('a line with only a status counts; a sentence that starts like one does not', () => {
  expect(read('# SEO workflow\n\n✅ Complete (May 2025)\n\nIn Progress\n').state).toBe('finished');
  expect(read('# SEO workflow\n\nDone is better\n\nIn Progress\n').state).toBe('active');
});

test.each([
  'Not Started',
  'Not in progress',
  '⏸️ On Hold',
  'Paused',
  'Blocked',
  'Draft',
  'Progressing',
  'Mostly in progress',
])('a plan is not active that says %s', (status) => {
  expect(read(`# SEO workflow\n**Status**: ${status}\n🔄 In Progress\n`)).toEqual({
    state: 'inactive',
  });
});

test.each([
  ['no status', '# SEO workflow\n'],
  ['a status in a phase', '# SEO workflow\n## Phase 1: Design\n**Status**: In Progress\n'],
  [
    'a status below a phase',
    '# SEO\n## Phase 1\n### Status\nIn Progress\n### Notes\n**Status**: In Progress',
  ],
  ['a status of a task', '# SEO workflow\n## Tasks\n### Task 1.1\n**Status**: In Progress\n'],
  [
    'a status in a task list',
    '# SEO workflow\n- [ ] Status: In Progress\n- a\n  - Status: In Progress\n',
  ],
  ['a task table', '# SEO workflow\n| Status | Task |\n|---|---|\n| In Progress | a |\n'],
  ['a legend', '# SEO workflow\n- ⬜ Not started\n- 🔄 In Progress\n'],
  ['a status in a fence', '# SEO workflow\n```\n**Status**: In Progress\n```\n'],
  ['a status in a comment', '# SEO workflow\n<!-- **Status**: In Progress -->\n'],
  ['prose', '# SEO workflow\n\nIn progress work is listed below. The status: in progress.\n'],
  ['a bare line in a later section', '# SEO workflow\n## Overview\n🔄 In Progress\n'],
  ['an empty file', ''],
])('%s does not make a plan active', (_, text) => {
  expect(read(text)).toEqual({ state: 'inactive' });
});

test('the plan’s own status may follow its phases', () => {
  expect(read('# SEO\n## Phase 1\n**Status**: Done\n## Status\nIn Progress\n').state).toBe(
    'active',
  );
});

test('a long preamble does not hide the status', () => {
  const text = `# SEO workflow\n\n${'Some words.\n\n'.repeat(1000)}**Status**: In Progress\n`;
  expect(read(text).state).toBe('active');
});

test('a plan that mentions neither a phase nor a workflow is not a workflow', () => {
  expect(read('# SEO\n**Status**: In Progress\n')).toEqual({ state: 'none' });
  expect(read('# SEO\n**Status**: In Progress\n```\nworkflow\n```\n')).toEqual({ state: 'none' });
  expect(read('# SEO\n**Status**: In Progress\nIn two phases.\n').state).toBe('active');
});

test.each([
  ['# Plan 066: SEO Optimization Workflow', 'SEO Optimization Workflow'],
  ['# Plan 066 - SEO', 'SEO'],
  ['# Plan 066 — SEO', 'SEO'],
  ['# PLAN-066: SEO', 'SEO'],
  ['# Plan: SEO', 'SEO'],
  ['# 🚀 Plan #66: **SEO**', 'SEO'],
  ['# `SEO`', 'SEO'],
  ['# Plan-based rollout', 'Plan-based rollout'],
  ['# Planning: SEO', 'Planning: SEO'],
  ['Plan 066: SEO\n===', 'SEO'],
  ['# Plan 066:', '066-seo'],
  ['## SEO', '066-seo'],
])('the title %j names the workflow %s', (title, workflow) => {
  expect(saidIn(`${title}\n\n**Status**: In Progress\n\nA workflow.\n`).workflow).toBe(workflow);
});

test('a title that begins with "Phase" is the title', () => {
  const text =
    '# Phase 2 rollout plan\n\n**Status**: In Progress\n\n## ✅ Phase 1: A\n## Phase 2: B\n';
  expect(saidIn(text)).toMatchObject({
    workflow: 'Phase 2 rollout plan',
    phases: ['A', 'B'],
    phase: { current: 2, total: 2, name: 'B' },
  });
  expect(saidIn('# Phase 1: Design\nStatus: In Progress\n')).not.toHaveProperty('phases');
});

test('phases may be headings of level 1, with or without a title', () => {
  const phases =
    '# Phase 1: A\n**Status**: Done\n# Phase 2: B\n**Status**: Done\n# Status\nIn Progress\n';
  expect(saidIn(phases)).toMatchObject({ workflow: 'Status', phases: ['A', 'B'] });
  expect(saidIn(`# SEO\n${phases}`)).toMatchObject({ workflow: 'SEO', phases: ['A', 'B'] });
  const long = `# Phase 1: A\n**Status**: Done\n\n${'Words.\n\n'.repeat(500)}# Phase 2: B\n# Status\nIn Progress\n`;
  expect(saidIn(long).phases).toEqual(['A', 'B']);
});

test.each([
  ['CLAUDE/Plan/00042-user-auth/PLAN.md', { plan_number: 42, plan_name: '00042-user-auth' }],
  ['CLAUDE/Plan/user-auth/PLAN.md', { plan_name: 'user-auth' }],
])('the folder gives number and name: %s', (path, context) => {
  expect(saidIn(active(), [], path).context).toEqual(context);
});

test('a type below the preamble does not belong to the plan', () => {
  expect(saidIn(active('## Data', 'Type: string')).workflow_type).toBeUndefined();
  expect(saidIn(active('- **Type:** planning')).workflow_type).toBe('planning');
});

test.each([
  '## Phase 1: Design',
  '#### ✅ Phase 1: Design',
  '## Phase 1 - Design 🔄',
  '### [x] Phase 1 — Design',
  '## ✔️ Phase 1. Design (completed)',
  '## **Phase 1**: Design ⬜',
  '## PHASE 01 – Design (In Progress)',
  '## [✓] Phase 1: Design',
  '## [✔️] Phase 1: Design',
  '## Phase 1: Design [✔]',
  '## Phase 1: ~~Draft~~ Design',
  'Phase 1: Design\n---',
])('%j is a phase', (heading) => {
  expect(saidIn(active(heading)).phases).toEqual(['Design']);
});

test('a phase without a name is named by its number', () => {
  expect(saidIn(active('## ✅ Phase 1', '## Phase 2:')).phases).toEqual(['Phase 1', 'Phase 2']);
});

test('parts, repetitions and mentions of a phase are not phases', () => {
  const text = active(
    '## Phase 2: Build (API)\n### Phase 2.1: Parser\n### Phase 2a\n## Phase 1: Design',
    '## ✅ Phase 2 summary\n## Phases\n## The next Phase 3\n```\n## Phase 4\n```',
  );
  expect(saidIn(text)).toMatchObject({
    phases: ['Build (API)', 'Design'],
    phase: { current: 2, total: 2, name: 'Design' },
  });
});

test.each([
  ['the first under way', ['Phase 1: A', '✅ Phase 2: B', '🔄 Phase 3: C', '⏳ Phase 4: D'], 3],
  ['the first not done', ['✅ Phase 1: A', '[x] Phase 2: B', '⬜ Phase 3: C', 'Phase 4: D'], 3],
  ['the first of all', ['Phase 1: A', 'Phase 2: B'], 1],
  ['the first after the last marked done', ['Phase 1: A', '✅ Phase 2: B', 'Phase 3: C'], 3],
  ['after a [✓] on a heading', ['[✓] Phase 1: A', '[✔] Phase 2: B', 'Phase 3: C'], 3],
  ['the one with open boxes', ['Phase 1: A', 'Phase 2: B\n- [ ] b', '✅ Phase 3: C'], 2],
  ['the first open one otherwise', ['Phase 1: A', 'Phase 2: B', '✅ Phase 3: C'], 1],
  [
    'by marks rather than boxes',
    ['✅ Phase 1: A\n- [ ] a', '⬜ Phase 2: B\n- [x] b', 'Phase 3: C\n- [ ] c'],
    2,
  ],
  [
    'the one under way, whatever its boxes say',
    ['Phase 1: A\n- [ ] a', '⏳ Phase 2: B\n- [x] b', 'Phase 3: C'],
    2,
  ],
  [
    'the one whose words say so',
    ['Phase 1: A (done)', 'Phase 2: B', 'Phase 3: C (in progress)'],
    3,
  ],
])('the current phase is %s', (_, phases, current) => {
  const { phase } = saidIn(active(...phases.map((text) => `## ${text}`)));
  expect(phase).toMatchObject({ current, total: phases.length, status: 'in_progress' });
});

test('with all phases done the last one is completed', () => {
  expect(saidIn(active('## ✅ Phase 1: A', '## ☑ Phase 2: B')).phase).toEqual({
    current: 2,
    total: 2,
    name: 'B',
    status: 'completed',
  });
});

test('a phase without a mark is done when all its boxes are ticked', () => {
  const boxes = (first: string, second: string): number | undefined =>
    saidIn(
      active(
        `## Phase 1: A\n### Tasks\n${first}\n  ${second}\n\n~~~\n- [ ] example\n~~~`,
        '## Phase 2: B\n## Criteria\n- [x] c',
      ),
    ).phase?.current;
  expect(boxes('- [x] a', '- [X] b')).toBe(2);
  expect(boxes('- [✓] a', '- [✔] b')).toBe(2);
  expect(boxes('- [✔️] a', '- [ ] ~~b~~')).toBe(2);
  expect(boxes('- [x] a', '1. [ ] b')).toBe(1);
  expect(boxes('- a', '- b')).toBe(1);
});

test('a heading of the same level ends a phase: the boxes below it are not its own', () => {
  const text = active(
    '## Phase 1: Design',
    '- [x] sketch',
    '### Tasks',
    '- [x] draw',
    '## Notes',
    '- [ ] buy milk',
    '## Phase 2: Build',
    '- [ ] code',
  );
  expect(saidIn(text).phase).toMatchObject({ current: 2, name: 'Build' });
});

test('a status below its heading is the mark of a phase, below a task it is that of the task', () => {
  const text = active(
    '## Phase 1: Design',
    '**Status**: ✅ Complete',
    '## Phase 2: Build',
    '**Status**: 🔄 In Progress',
    '### Task 2.1',
    '**Status**: ✅ Done',
    '## Phase 3: Review',
    '- **Status**: ⬜ Not Started',
  );
  expect(saidIn(text).phase).toMatchObject({ current: 2, name: 'Build' });
  const marked = text.replace('Phase 2: Build', 'Phase 2: Build ✅');
  expect(saidIn(marked).phase).toMatchObject({ current: 3, name: 'Review' });
});

test('a phase that was struck out is not a phase', () => {
  expect(saidIn(active('## ✅ Phase 1: A', '## ~~Phase 2: B~~', '## Phase 3: C'))).toMatchObject({
    phases: ['A', 'C'],
    phase: { current: 2, total: 2, name: 'C' },
  });
});

test('a plan without phase headings declares no phases', () => {
  const said = saidIn(active());
  expect(said).not.toHaveProperty('phase');
  expect(said).not.toHaveProperty('phases');
});

test('documents that a plan names are required reading if they exist', () => {
  const existing = ['CLAUDE/A.md', 'CLAUDE/b/C.md', '.claude/d.md', 'CLAUDE/e.md', 'CLAUDE/f.txt'];
  const text = active(
    'Read CLAUDE/A.md, [c](CLAUDE/b/C.md#top) and `@.claude/d.md`. Again: ./CLAUDE/A.md!',
    `CLAUDE/missing.md docs/CLAUDE/e.md CLAUDE/../CLAUDE/e.md CLAUDE/f.txt ${PATH}`,
    '<!-- CLAUDE/e.md -->',
  );
  expect(saidIn(text, [...existing, PATH]).required_reading).toEqual([
    `@${PATH}`,
    '@CLAUDE/A.md',
    '@CLAUDE/b/C.md',
    '@.claude/d.md',
  ]);
});

test('the number of file lookups for one plan is limited', () => {
  let lookups = 0;
  const names = Array.from({ length: 5000 }, (_, index) => `CLAUDE/${index}.md`).join('\n');
  const exists = (): boolean => (lookups += 1) > 0;
  const reading = readPlan(active(names), { path: PATH, exists });
  expect(reading).toMatchObject({ said: { required_reading: { length: 22 } } });
  expect(lookups).toBeLessThan(300);
});
