import { expect, test } from 'vitest';
import { readAnyPlan } from '../../../src/detect/any-plan.ts';

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

test.each(['', '# Title\n\nOnly prose.\n', '## Phase 1\n', '```\n- [ ] code\n```\n'])(
  'nothing to run: %j',
  (text) => {
    expect(readAnyPlan(text)).toBeNull();
  },
);
