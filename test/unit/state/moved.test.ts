import { describe, expect, it } from 'vitest';
import {
  departed,
  leftBehind,
  movedFrom,
  movedTo,
  withArrival,
  withOrigin,
  withoutMove,
} from '../../../src/state/moved.ts';
import type { RunState } from '../../../src/state/types.ts';

const STATE: RunState = {
  workflow: 'Release',
  workflow_type: 'custom',
  phase: { current: 2, total: 3, name: 'build', status: 'in_progress' },
  required_reading: [],
  created_at: '2026-01-01T00:00:00Z',
  status: 'failed',
  status_reason: 'the tests fail',
  sessions: { current_session_id: 'one', session_history: [] },
};
const TO = { path: '/there', id: 'abc', runId: 'release-1' };

describe('a run that was moved', () => {
  it('is paused where it was, belongs to no session, and says where it is', () => {
    const left = leftBehind(STATE, TO);
    expect(left).toMatchObject({ status: 'paused', sessions: { current_session_id: null } });
    expect(left.status_reason).toContain('/there');
    expect(left.status_reason).toContain('holdfast run release-1');
    expect(movedTo(left)).toMatchObject({ path: '/there', id: 'abc', arrived: false });
    expect(movedTo(withArrival(left))).toMatchObject({ arrived: true });
  });

  const { status_reason: _reason, ...rest } = STATE;
  it.each<RunState>([STATE, { ...rest, status: 'in_progress' }])(
    'goes on elsewhere as it was',
    (state) => {
      const { status, status_reason: reason } = departed(leftBehind(state, TO));
      expect({ status, reason }).toEqual({ status: state.status, reason: state.status_reason });
      expect(movedTo(departed(leftBehind(state, TO)))).toBeNull();
    },
  );

  it('knows where it came from, until it is back', () => {
    const from = { path: '/here', id: 'abc', base: 'c0ffee' };
    const there = withOrigin(departed(leftBehind(STATE, TO)), from);
    expect(movedFrom(there)).toEqual(from);
    expect(movedFrom(withoutMove(there))).toBeNull();
    // On its way back it still knows.
    expect(movedFrom(leftBehind(there, { ...TO, path: '/here' }))).toEqual(from);
  });

  it('is here again once somebody resumes it', () => {
    expect(movedTo({ ...leftBehind(STATE, TO), status: 'in_progress' })).toBeNull();
  });

  it.each([
    [null],
    ['/there'],
    [{ path: '/there' }],
    [{ path: '/there', id: 'x', arrived: true }],
    [{ path: '/there', id: 'x', arrived: true, was: { status: 'unheard of' } }],
    [{ path: '', id: 'x', arrived: true, was: { status: 'paused' } }],
    [{ path: '/a\u001B[31m', id: 'x', arrived: true, was: { status: 'paused' } }],
    [{ path: 7, id: 'x', arrived: true, was: { status: 'paused' } }],
  ])('is not believed if the file says nonsense: %j', (moved_to) => {
    expect(movedTo({ ...STATE, status: 'paused', moved_to })).toBeNull();
    expect(movedFrom({ ...STATE, moved_from: moved_to })).toBeNull();
  });
});
