import { expect, it } from 'vitest';
import { eventLine } from '../../../../src/commands/view/event-line.ts';
import { EVENT_NAMES } from '../../../../src/state/journal.ts';

const at = '2025-06-01T12:00:00';

it.each(EVENT_NAMES)('%s without any field is still a readable line', (event) => {
  const line = eventLine({ event, at });
  expect(line).toMatch(/^2025-06-01 12:00 {2}\S/);
  expect(line).not.toMatch(/undefined|null|_/);
});

it.each([
  [
    { event: 'held', rule: 'evidence' },
    'taken by a session whose transcript shows that it works on it',
  ],
  [{ event: 'held', rule: 'something_new' }, 'taken by a session'],
  [
    { event: 'gate_failed', command: 'npm test', reason: 'exit 1' },
    'the gate npm test failed: exit 1',
  ],
  [
    { event: 'advanced', finished: 'step 1 of 2 (plan)', gates: ['npm test'], output: 'see x' },
    'finished step 1 of 2 (plan) (passed npm test): see x',
  ],
  [
    { event: 'approved', step: 'ok', gates: ['npm test', 'make'] },
    'the user approved ok (passed npm test, make)',
  ],
  [
    { event: 'pivot_refused', from: 'check', to: 'build', feedback: 'no' },
    'was not sent back from check to build, too many pivots: no',
  ],
  [
    { event: 'pivot_refused', from: 'sign', feedback: 'no' },
    'was not sent back from sign, too many pivots: no',
  ],
  [{ event: 'cancelled', reason: 'no longer needed' }, 'cancelled: no longer needed'],
  [{ event: 'archived', reason: 'the plan is gone' }, 'archived: the plan is gone'],
  [{ event: 'archived', source: 'PLAN.md' }, 'archived, because PLAN.md says it is finished'],
  [{ event: 'todo done', item: 'write it down' }, 'finished a todo item: write it down'],
  [
    { event: 'step_driven', step: 'build', outcome: 'finished', cost_usd: 0.5 },
    'holdfast run: build finished, $0.50',
  ],
  [{ event: 'driven', fresh: true }, 'holdfast run started a fresh session'],
  [
    { event: 'advance_refused', reason: 'spec.md is missing' },
    'the step is not finished yet: spec.md is missing',
  ],
  [{ event: 'later_version' }, 'later_version'],
])('%j', (event, text) => {
  expect(eventLine({ at, ...event })).toBe(`2025-06-01 12:00  ${text}`);
});

it('a path inside the project is written as people type it', () => {
  const line = eventLine({
    at: '2026-01-02T03:04:05.000Z',
    event: 'conflict',
    field: 'artifacts.plan',
    kept: '{project_root}/docs/plan.md',
    other: '{project_root}',
  });
  expect(line).toContain('kept "docs/plan.md", the other value was "."');
});
