import { describe, expect, test } from 'vitest';
import {
  findHandedOverRun,
  takeOverRun,
  type NewSession,
} from '../../../src/sessions/choose-run.ts';
import type { Hold, SessionRecord } from '../../../src/state/types.ts';
import { aRun, heldBy, HERE, minutesBefore, NOW } from '../../support/runs.ts';

const cleared: NewSession = { session: 'after', former: 'before', now: NOW };
const byClear = { ended_at: minutesBefore(0.5), end_reason: 'clear' };
const isHandedOver = (record: Partial<SessionRecord>, after = cleared): boolean =>
  findHandedOverRun([aRun(heldBy('before', record))], after) !== null;

describe('the session after a clear', () => {
  test('continues the run of the one before, also where its end was never recorded', () => {
    expect(isHandedOver(byClear)).toBe(true);
    expect(isHandedOver({})).toBe(true);
  });

  test('continues no other', () => {
    expect(isHandedOver(byClear, { ...cleared, former: null })).toBe(false);
    expect(isHandedOver(byClear, { ...cleared, former: 'another' })).toBe(false);
  });

  test('continues it once: what was handed over already is not handed over again', () => {
    expect(isHandedOver({ ...byClear, handed_to: 'another' })).toBe(false);
  });

  test('takes none if it has one of its own', () => {
    const runs = [aRun(heldBy('before', byClear)), aRun(heldBy('after'))];
    expect(findHandedOverRun(runs, cleared)).toBeNull();
  });
});

test.each<[string, Hold | undefined, boolean, Hold]>([
  ['by evidence', { by: 'evidence', touched: true }, false, { by: 'clear' }],
  ['that the session started', { by: 'command', own: true }, false, { by: 'clear', own: true }],
  ['whose step asked for it', { by: 'command', own: true }, true, { by: 'asked_clear', own: true }],
  ['of an earlier version', undefined, false, { by: 'clear' }],
])('a /clear hands over a run %s', (_which, before, isAsked, after) => {
  const { state } = aRun({ ...heldBy('before', byClear), ...(before && { hold: before }) });
  expect(takeOverRun(state, cleared, { hostname: HERE }, isAsked).hold).toEqual(after);
});
