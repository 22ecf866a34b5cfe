import { describe, expect, it } from 'vitest';
import { openConflicts } from '../../../src/state/conflicts.ts';
import { readState } from '../../../src/state/read-state.ts';
import type { RunState } from '../../../src/state/types.ts';

const COMPLETED = { current: 3, total: 3, name: 'C', status: 'completed' };
const RUNNING = { current: 2, total: 3, name: 'B', status: 'in_progress' };

function stateWith(fields: object): RunState {
  const reading = readState(
    { workflow: 'Shop', workflow_type: 'custom', phase: RUNNING, ...fields },
    { workflow: 'Shop', createdAt: () => '2026-01-01T00:00:00Z' },
  );
  if ('defect' in reading) throw new Error('not a run');
  return reading.state;
}

describe('conflicts that are told', () => {
  const conflict = { field: 'position', kept: { phase: COMPLETED }, other: { phase: RUNNING } };
  const decided = { at: '2026-01-02T00:00:00.000Z', event: 'conflict', ...conflict };
  const reopened = (at: string): { at: string; event: string } => ({ at, event: 'reopened' });
  const before = reopened('2026-01-01T12:00:00.000Z');
  const after = reopened('2026-01-03T00:00:00.000Z');

  it('not one about the position that was settled by a later reopening', () => {
    expect(openConflicts(stateWith({ conflicts: [conflict] }), [decided, after])).toEqual([]);
  });

  it.each([
    ['the run was not reopened', { conflicts: [conflict] }, [decided]],
    ['it was reopened before', { conflicts: [conflict] }, [before, decided]],
    ['the phase is as it was kept', { phase: COMPLETED, conflicts: [conflict] }, [decided, after]],
    ['nothing says when it was decided', { conflicts: [conflict] }, [after]],
    [
      'it is about something else',
      { conflicts: [{ field: 'context.x', kept: 1, other: 2 }] },
      [{ ...decided, field: 'context.x', kept: 1 }, after],
    ],
  ])('all others: %s', (_, fields, journal) => {
    expect(openConflicts(stateWith(fields), journal)).toHaveLength(1);
  });
});
