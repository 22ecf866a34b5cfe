import { join } from 'node:path';
import { inspectLock } from '../../io/lock.ts';
import { locate } from '../../io/read-file.ts';
import { LOCK_FILE, STATE_FOLDER } from '../../state/paths.ts';
import { findingsFor } from '../findings.ts';
import type { Check, DoctorContext, Finding } from '../types.ts';

const say = findingsFor('lock');

/** What writers left behind that were killed. */
export const checkLock: Check = {
  run: ({ root }) => {
    if (!hasFolder(root)) return [say.skipped('there is no state folder to look into')];
    const { state, leftovers } = inspectLock(join(root, LOCK_FILE));
    if (state === 'held')
      return [say.note('another holdfast is writing just now', { fix: 'holdfast doctor' })];
    const troubles = [...stale(state === 'stale'), ...leftBehind(leftovers)];
    return troubles.length === 0 ? [say.ok('nothing is locked, and nothing left over')] : troubles;
  },
  fix: ({ root, store }) => {
    const before = inspectLock(join(root, LOCK_FILE));
    // Whoever gets the lock tidies up first, so this is all that any writer would do.
    store.transaction(() => undefined);
    return [
      ...(before.state === 'stale' ? [`removed the stale lock ${LOCK_FILE}`] : []),
      ...before.leftovers.map((name) => `removed ${STATE_FOLDER}/${name}`),
    ];
  },
};

function stale(isStale: boolean): Finding[] {
  return isStale
    ? [
        say.warning('a lock was left behind by a writer that is gone', {
          evidence: [LOCK_FILE],
          fix: 'holdfast doctor --fix',
          fixable: true,
        }),
      ]
    : [];
}

function leftBehind(names: readonly string[]): Finding[] {
  return names.length === 0
    ? []
    : [
        say.warning('temporary files were left behind by a writer that is gone', {
          evidence: names.map((name) => `${STATE_FOLDER}/${name}`),
          fix: 'holdfast doctor --fix',
          fixable: true,
        }),
      ];
}

function hasFolder(root: DoctorContext['root']): boolean {
  return locate(root, join(root, STATE_FOLDER)) === 'inside';
}
