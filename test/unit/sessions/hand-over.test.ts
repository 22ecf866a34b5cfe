import { describe, expect, test } from 'vitest';
import {
  findHandedOverRun,
  takeOverRun,
  type NewSession,
} from '../../../src/sessions/hand-over.ts';
import { resolveSession, holderOf, sessionRecord } from '../../../src/sessions/holder.ts';
import type { SessionRecord } from '../../../src/state/types.ts';
import { aRun, heldBy, HERE, minutesBefore, NOW } from '../../support/runs.ts';

const cleared: NewSession = {
  session: 'after',
  claudePid: '77',
  parentPid: '76',
  now: NOW,
  hostname: HERE,
  isCleared: true,
};
const byClear = { ended_at: minutesBefore(0.5), end_reason: 'clear' };
const withPid = (pid: string): Partial<SessionRecord> => ({
  environment: { hostname: HERE, claude_pid: pid },
});
const isHandedOver = (record: Partial<SessionRecord>, after = cleared): boolean =>
  findHandedOverRun([aRun(heldBy('before', record))], after) !== undefined;

describe('the session after a clear goes on with the run of the one before', () => {
  test('within 60 seconds', () => {
    expect(isHandedOver({ ...byClear, ended_at: minutesBefore(1) })).toBe(true);
    expect(isHandedOver({ ...byClear, ended_at: minutesBefore(1.1) })).toBe(false);
  });

  test('of the same process, where both tell theirs', () => {
    expect(isHandedOver({ ...byClear, ...withPid('77') })).toBe(true);
    expect(isHandedOver({ ...byClear, ...withPid('78') })).toBe(false);
    expect(
      isHandedOver({ ...byClear, ...withPid('78') }, { ...cleared, claudePid: undefined }),
    ).toBe(true);
  });

  test('not after another end', () => {
    expect(isHandedOver({ ...byClear, end_reason: 'logout' })).toBe(false);
  });

  test('also where the end was never told, if the process is the same', () => {
    expect(isHandedOver(withPid('77'))).toBe(true);
    expect(isHandedOver(withPid('78'))).toBe(false);
    expect(isHandedOver({})).toBe(false);
  });

  test('once: what was handed over already is not handed over again', () => {
    expect(isHandedOver({ ...byClear, handed_to: 'another' })).toBe(false);
  });

  test('only where one run can be meant', () => {
    const runs = ['a', 'b'].map((workflow) => aRun({ workflow, ...heldBy(workflow, byClear) }));
    expect(findHandedOverRun(runs, cleared)).toBeUndefined();
    expect(findHandedOverRun(runs.slice(1), cleared)).toBe(runs[1]);
  });
});

test('taking over holds the run, and the old id stands for the new session', () => {
  const run = aRun(heldBy('before', byClear));
  const state = takeOverRun(run.state, cleared, { hostname: HERE });
  expect(holderOf(state)).toBe('after');
  expect(sessionRecord(state, 'before')).toMatchObject({ ...byClear, handed_to: 'after' });
  expect(resolveSession('before', [{ ...run, state }])).toBe('after');
});

test('taking over from a session whose end was never told ends it', () => {
  const state = takeOverRun(aRun(heldBy('before')).state, cleared, { hostname: HERE });
  expect(sessionRecord(state, 'before')).toMatchObject({
    ended_at: NOW.toISOString(),
    end_reason: 'clear',
  });
});

describe('a session that is compacted goes on with the run that its own process started', () => {
  const compacted = { ...cleared, isCleared: false };

  test('under the id from before a clear', () => {
    expect(isHandedOver(withPid('77'), compacted)).toBe(true);
    expect(isHandedOver(withPid('78'), compacted)).toBe(false);
    expect(isHandedOver(withPid('76'), compacted)).toBe(false);
  });

  test('where the host does not tell its process, it is the one that started the hook', () => {
    const untold = { ...compacted, claudePid: undefined };
    expect(isHandedOver(withPid('76'), untold)).toBe(true);
    expect(isHandedOver(withPid('77'), untold)).toBe(false);
    expect(isHandedOver({}, untold)).toBe(false);
  });

  test('but not with that of a session that has ended', () => {
    expect(isHandedOver({ ...byClear, ...withPid('77') }, compacted)).toBe(false);
  });

  test('nor with any if it has one of its own', () => {
    const runs = [aRun(heldBy('before', withPid('77'))), aRun(heldBy('after'))];
    expect(findHandedOverRun(runs, compacted)).toBeUndefined();
  });
});
