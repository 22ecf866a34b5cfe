import { expect, test } from 'vitest';
import { describe } from '../../../../src/errors/describe.ts';
import type { Failure } from '../../../../src/errors/holdfast-error.ts';
import { errorLine } from '../../../../src/errors/messages.ts';

const failures: Failure[] = [
  { code: 'not_started', workflow: 'DETAIL' },
  { code: 'workflow_over', workflow: 'DETAIL', status: 'complete', reason: '' },
  { code: 'workflow_over', workflow: 'DETAIL', status: 'failed', reason: '' },
  { code: 'workflow_over', workflow: 'DETAIL', status: 'failed', reason: 'DETAIL' },
  { code: 'waiting_for_tasks', loop: 'DETAIL', gated: false, run: null },
  { code: 'waiting_for_tasks', loop: 'DETAIL', gated: true, run: null },
  { code: 'gate_not_skipped', loop: 'DETAIL', step: 'DETAIL' },
  { code: 'cancelled', run: 'DETAIL' },
  { code: 'unknown_loop', given: 'DETAIL', loops: ['DETAIL', 'b'] },
  { code: 'unknown_loop', given: 'DETAIL', loops: [] },
  { code: 'loop_over', given: 'DETAIL', step: 'DETAIL', run: 'DETAIL' },
  { code: 'bad_task', entry: 3, problem: { kind: 'no_title' } },
  { code: 'bad_task', entry: 3, problem: { kind: 'same_id', id: 'DETAIL' } },
  { code: 'bad_task', entry: 3, problem: { kind: 'too_long', field: 'id', length: 9, max: 5 } },
  { code: 'too_many_tasks', count: 9, max: 5 },
  { code: 'broken_run', field: 'DETAIL', expected: { kind: 'current_task_id', id: 'DETAIL' } },
];

test.each(failures)('$code is described in one line: what happened, and what to do', (failure) => {
  const text = describe(failure);
  const line = errorLine(text);
  expect(text.hint).not.toBe('');
  expect(line).not.toMatch(/\n|undefined|\[object|\.;|\.$/);
  const details = JSON.stringify(failure).match(/DETAIL/g) ?? [];
  expect((line.match(/DETAIL/g) ?? []).length).toBeGreaterThanOrEqual(details.length);
});
