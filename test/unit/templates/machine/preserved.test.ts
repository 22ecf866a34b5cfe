import { expect, test } from 'vitest';
import type { MachineState } from '../../../../src/templates/machine/machine-state.ts';
import { preservedItems } from '../../../../src/templates/machine/preserved.ts';
import { aState } from '../../../support/runs.ts';

const machine: MachineState = {
  status: 'running',
  step: 'ship',
  stepType: 'action',
  tasks: {},
  summary: 'a shop',
  outputs: {
    plan: 'the plan',
    'polish.1': 'one',
    'polish.2': 'two',
    'build.a.code': 'A',
    planet: 'Mars',
  },
  artefacts: { plan: ['plan.md'] },
  contextActionExecuted: false,
};
const feedback = {
  from: 'review',
  to: 'plan',
  tag: 'REVIEW_PIVOT_FEEDBACK',
  text: 'too dear',
  at: '2025-06-01T12:00:00.000Z',
};
const state = aState({
  context: { budget: 3, plan: 'B', flag: true },
  artifacts: { spec: 'spec.md' },
  feedback: [{ ...feedback, text: 'earlier' }, feedback],
});

test.each([
  ['summary', [{ kind: 'summary', text: 'a shop' }]],
  ['feedback', [{ kind: 'feedback', entry: feedback }]],
  ['polish.2', [{ kind: 'output', key: 'polish.2', text: 'two' }]],
  [
    'polish',
    [
      { kind: 'output', key: 'polish.1', text: 'one' },
      { kind: 'output', key: 'polish.2', text: 'two' },
    ],
  ],
  ['build.a.code', [{ kind: 'output', key: 'build.a.code', text: 'A' }]],
  ['build.a', [{ kind: 'output', key: 'build.a.code', text: 'A' }]],
  [
    'plan',
    [
      { kind: 'output', key: 'plan', text: 'the plan' },
      { kind: 'made', key: 'plan', paths: ['plan.md'] },
      { kind: 'context', key: 'plan', text: 'B' },
    ],
  ],
  ['budget', [{ kind: 'context', key: 'budget', text: '3' }]],
  ['spec', [{ kind: 'artifact', key: 'spec', text: 'spec.md' }]],
])('%s stands for the item of that name', (key, items) => {
  expect(preservedItems(state, machine, [key])).toEqual({ items, unknown: [] });
});

test.each(['later', 'constructor', '__proto__'])('%s stands for nothing yet', (key) => {
  expect(preservedItems(state, machine, [key])).toEqual({ items: [], unknown: [key] });
});
