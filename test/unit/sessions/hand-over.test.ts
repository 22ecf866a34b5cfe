import { describe, expect, test } from 'vitest';
import type { ClientProcess } from '../../../src/sessions/client-process.ts';
import {
  findHandedOverRun,
  takeOverRun,
  type NewSession,
} from '../../../src/sessions/choose-run.ts';
import { resolveSession, holderOf, sessionRecord } from '../../../src/sessions/holder.ts';
import type { Hold, SessionRecord } from '../../../src/state/types.ts';
import { aRun, heldBy, HERE, minutesBefore, NOW } from '../../support/runs.ts';

const CLIENT: ClientProcess = { pid: '77', start: 'boot-ns-100' };
const cleared: NewSession = {
  session: 'after',
  client: CLIENT,
  former: null,
  now: NOW,
  hostname: HERE,
  isCleared: true,
};
const compacted: NewSession = { ...cleared, isCleared: false };
const byClear = { ended_at: minutesBefore(0.5), end_reason: 'clear' };
const of = (pid: string, start?: string): Partial<SessionRecord> => ({
  environment: {
    hostname: HERE,
    claude_pid: pid,
    ...(start === undefined ? {} : { claude_start: start }),
  },
});
const SAME = of('77', 'boot-ns-100');
const isHandedOver = (record: Partial<SessionRecord>, after = cleared): boolean =>
  findHandedOverRun([aRun(heldBy('before', record))], after) !== null;

describe('the session after a clear continues the run of the one before', () => {
  test('within 60 seconds', () => {
    expect(isHandedOver({ ...byClear, ...SAME, ended_at: minutesBefore(1) })).toBe(true);
    expect(isHandedOver({ ...byClear, ...SAME, ended_at: minutesBefore(1.1) })).toBe(false);
  });

  test('of the same process: an equal process id alone proves nothing', () => {
    expect(isHandedOver({ ...byClear, ...SAME })).toBe(true);
    expect(isHandedOver({ ...byClear, ...of('77', 'boot-ns-200') })).toBe(false);
    expect(isHandedOver({ ...byClear, ...of('78', 'boot-ns-100') })).toBe(false);
  });

  test('where the start of the process cannot be read, by its id', () => {
    const unknownStart = { ...cleared, client: { pid: '77', start: null } };
    expect(isHandedOver({ ...byClear, ...of('77') }, unknownStart)).toBe(true);
    expect(isHandedOver({ ...byClear, ...of('78') }, unknownStart)).toBe(false);
    expect(isHandedOver(of('77'), unknownStart)).toBe(false);
  });

  test('where the client tells no process, if it is the only one', () => {
    const untold = { ...cleared, client: null };
    expect(isHandedOver(byClear, untold)).toBe(true);
    const runs = ['a', 'b'].map((workflow) => aRun({ workflow, ...heldBy(workflow, byClear) }));
    expect(findHandedOverRun(runs, untold)).toBeNull();
  });

  test('not after another end', () => {
    expect(isHandedOver({ ...byClear, ...SAME, end_reason: 'logout' })).toBe(false);
  });

  test('also where its end was never recorded, if the process is the same', () => {
    expect(isHandedOver(SAME)).toBe(true);
    expect(isHandedOver(of('77', 'boot-ns-200'))).toBe(false);
    expect(isHandedOver({})).toBe(false);
  });

  test('once: what was handed over already is not handed over again', () => {
    expect(isHandedOver({ ...byClear, ...SAME, handed_to: 'another' })).toBe(false);
  });

  test('where the cleared session is known, only from that one', () => {
    expect(isHandedOver(byClear, { ...cleared, former: 'before' })).toBe(true);
    // The conversation was left by /resume, which need not fire SessionEnd, and another one was cleared.
    expect(isHandedOver(SAME, { ...cleared, former: 'another' })).toBe(false);
  });
});

describe('a session that is compacted', () => {
  test('continues what its client process has just cleared, where no SessionStart came', () => {
    expect(isHandedOver({ ...byClear, ...SAME }, compacted)).toBe(true);
    expect(isHandedOver(byClear, { ...compacted, client: null })).toBe(false);
  });

  test('never takes the run of a conversation that its client has left', () => {
    expect(isHandedOver(SAME, compacted)).toBe(false);
    expect(isHandedOver(of('77'), { ...compacted, client: { pid: '77', start: null } })).toBe(
      false,
    );
    const left = { ...SAME, ended_at: minutesBefore(0.5), end_reason: 'resume' };
    expect(isHandedOver(left, compacted)).toBe(false);
  });

  test('takes none if it has one of its own', () => {
    const runs = [aRun(heldBy('before', { ...byClear, ...SAME })), aRun(heldBy('after'))];
    expect(findHandedOverRun(runs, compacted)).toBeNull();
  });
});

test('taking over holds the run, and the old id stands for the new session', () => {
  const run = aRun(heldBy('before', byClear));
  const state = takeOverRun(run.state, cleared, { hostname: HERE }, false);
  expect(holderOf(state)).toBe('after');
  expect(sessionRecord(state, 'before')).toMatchObject({ ...byClear, handed_to: 'after' });
  expect(resolveSession('before', [{ ...run, state }])).toBe('after');
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

test('taking over from a session whose end was never recorded ends it', () => {
  const state = takeOverRun(aRun(heldBy('before')).state, cleared, { hostname: HERE }, false);
  expect(sessionRecord(state, 'before')).toMatchObject({
    ended_at: NOW.toISOString(),
    end_reason: 'clear',
  });
});
