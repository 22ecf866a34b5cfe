import { describe, expect, test } from 'vitest';
import { readAnyPlan, readStartedPlan } from '../../../../src/sources/parse/read-format.ts';
import { FORMATS } from '../../../../src/sources/parse/formats.ts';

test('phases are the numbered headings, also those without boxes', () => {
  const plan = `# Implementation Plan: Retry queue

## Context
Jobs get lost.

## Phase 1: Store jobs ✅
- [x] Add a table

## Phase 2: Retry
- [x] Back off
- [ ] Give up after three tries

## Phase 3 - Tell people
Write to the list.
`;
  expect(readAnyPlan(plan)).toEqual({
    workflow: 'Retry queue',
    phase: { current: 2, total: 3, name: 'Retry', status: 'in_progress' },
    phases: ['Store jobs', 'Retry', 'Tell people'],
    required_reading: [],
    key_reminders: [],
    context: { next_item: 'Give up after three tries' },
    next_items: { '2': 'Give up after three tries' },
  });
});

test('a plan that nobody has begun starts at its first phase', () => {
  expect(readAnyPlan('# Plan\n## Step 1: Read\nAll of it.\n## Step 2: Write\n')).toMatchObject({
    workflow: 'Plan',
    phase: { current: 1, total: 2, name: 'Read' },
    phases: ['Read', 'Write'],
    context: {},
  });
});

test('without numbered headings, each section with boxes is a phase', () => {
  const plan = '# Move house\n## Before\n- [x] Pack\n## Notes\nFragile.\n## After\n- [ ] Unpack\n';
  expect(readAnyPlan(plan)).toMatchObject({
    workflow: 'Move house',
    phase: { current: 2, total: 2, name: 'After' },
    phases: ['Before', 'After'],
  });
});

test('a list of boxes without headings has one phase without a name', () => {
  const plan = readAnyPlan('- [x] one\n- [ ] two\n');
  expect(plan).toMatchObject({
    workflow: 'Plan',
    phase: { current: 1, total: 1 },
    context: { next_item: 'two' },
  });
  expect(plan?.phases).toBeUndefined();
});

test('headings may be numbered without a word, as Claude Code writes them', () => {
  const plan = `# Plan: Sign in

## Context
People want it.

## Changes

### 1. Add \`src/auth.ts\`
Write it.

### 2. Wire it up
1. Import it
2. Call it

### 3. Tests

## Verification
Run the tests.
`;
  expect(readAnyPlan(plan)).toMatchObject({
    workflow: 'Sign in',
    phase: { current: 1, total: 3, name: 'Add `src/auth.ts`', status: 'in_progress' },
    phases: ['Add `src/auth.ts`', 'Wire it up', 'Tests'],
    context: {},
  });
});

test('the first open box decides which phase is current, also after phases without boxes', () => {
  const plan =
    '## Phase 1: Read\nAll.\n## Phase 2: Build\n- [x] a\n- [ ] b\n## Phase 3: Ship\n- [ ] c\n';
  expect(readAnyPlan(plan)).toMatchObject({
    phase: { current: 2, total: 3, name: 'Build' },
    context: { next_item: 'b' },
  });
});

test.each([
  ['a phase marked as under way', '## Phase 1: A\n- [ ] a\n## Phase 2: B 🔄\n- [ ] b\n', 2],
  ['a box that is under way', '## A\n- [x] a\n## B\n- [-] b\n- [ ] c\n## C\n- [ ] d\n', 2],
  [
    'a phase marked as done with a box left open',
    '## Phase 1: A ✅\n- [ ] a\n## Phase 2: B\n- [ ] b\n',
    2,
  ],
  [
    'the last phase without boxes, after finished ones',
    '## Phase 1: A\n- [x] a\n## Phase 2: B\nText.\n',
    2,
  ],
])('the current phase: %s', (_, plan, current) => {
  expect(readAnyPlan(plan)?.phase).toMatchObject({ current, status: 'in_progress' });
});

test('a plan whose boxes are all ticked is completed', () => {
  expect(readAnyPlan('## A\n- [x] a\n## B\n- [x] b\n')?.phase).toEqual({
    current: 2,
    total: 2,
    name: 'B',
    status: 'completed',
  });
});

test.each([
  ['# Plan: Retry queue', 'Retry queue'],
  ['# Retry queue implementation plan', 'Retry queue'],
  ['# Implementation Plan — Retry queue', 'Retry queue'],
  ['# [Feature Name] Implementation Plan', 'moth'],
  ['', 'moth'],
])('the name of a plan that begins with %j', (title, name) => {
  expect(readAnyPlan(`${title}\n\n- [ ] a\n`, 'plans/moth.md')?.workflow).toBe(name);
});

test.each([
  ['dates in brackets', '## A\n- [2026-03-10] written\n- [x](link) too\n- [P] a label\n'],
  ['boxes of a template', '## A\n- [ ] {{TASK}}\n'],
  ['boxes in a comment', '## A\n<!--\n- [ ] a\n-->\n'],
  ['struck-out boxes', '## A\n- [ ] ~~a~~\n'],
  ['one numbered heading', '## 1. Only\nText.\n'],
])('nothing to run in a plan with only %s', (_, text) => {
  expect(readAnyPlan(text)).toBeNull();
});

describe('a plan that a run was started from', () => {
  const read = (
    path: string,
    text: string,
    format?: Parameters<typeof readStartedPlan>[1],
  ): unknown => readStartedPlan({ path, text, companions: new Map(), exists: () => false }, format);

  test('requires itself', () => {
    expect(read('docs/a.md', '## A\n- [ ] a\n')).toMatchObject({
      state: 'active',
      said: { workflow: 'a', required_reading: ['@docs/a.md'] },
    });
  });

  test('is finished when every box is ticked, and says nothing without boxes', () => {
    expect(read('docs/a.md', '## A\n- [x] a\n')).toEqual({ state: 'finished' });
    expect(read('docs/a.md', '# A\n\nProse.\n')).toEqual({ state: 'none' });
  });

  test("is read in the tool's own format if it has one", () => {
    expect(
      read(
        '.kiro/specs/login/tasks.md',
        '- [ ] 1. Build\n  - [ ] 1.1 Code\n- [ ] 2. Test\n',
        FORMATS.kiro,
      ),
    ).toMatchObject({
      state: 'active',
      said: { workflow: 'login', phases: ['Build', 'Test'], context: { next_item: '1.1 Code' } },
    });
  });

  test('may be one of ours that is not started yet, but not one that is finished', () => {
    const plan = (status: string): string =>
      `# Plan 7: Move\n\n**Status**: ${status}\n\n## Phase 1: Pack\n- [ ] a\n## Phase 2: Go\n`;
    const path = 'CLAUDE/Plan/007-move/PLAN.md';
    expect(read(path, plan('In Progress'), 'own')).toMatchObject({
      state: 'active',
      said: { context: { plan_number: 7 } },
    });
    expect(read(path, plan('Not Started'), 'own')).toMatchObject({
      state: 'active',
      said: { phases: ['Pack', 'Go'], required_reading: [`@${path}`] },
    });
    expect(read(path, plan('Complete'), 'own')).toEqual({ state: 'finished' });
  });

  test("falls back to any plan where the tool's format finds nothing", () => {
    expect(read('docs/plans/a.md', '# A\n## One\n- [ ] a\n', FORMATS.superpowers)).toMatchObject({
      state: 'active',
      said: { workflow: 'A', phases: ['One'] },
    });
  });
});

test.each(['', '# Title\n\nOnly prose.\n', '## Phase 1\n', '```\n- [ ] code\n```\n'])(
  'nothing to run: %j',
  (text) => {
    expect(readAnyPlan(text)).toBeNull();
  },
);
