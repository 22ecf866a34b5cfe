import { join } from 'node:path';
import { inspectLock } from '../../io/lock.ts';
import { locate } from '../../io/read-file.ts';
import { LOCK_FILE, STATE_FOLDER } from '../../state/paths.ts';
import { findingsFor } from '../findings.ts';
import type { Check, DoctorContext, Finding } from '../types.ts';

const report = findingsFor('lock');

/** Locks and temporary files of processes that were killed. */
export const checkLock: Check = {
  run: ({ root }) => {
    if (!hasFolder(root)) return [report.skipped('there is no state folder')];
    const { state, leftovers } = inspectLock(join(root, LOCK_FILE));
    if (state === 'held')
      return [report.note('another holdfast process is writing now', { fix: 'holdfast doctor' })];
    const troubles = [...stale(state === 'stale'), ...leftBehind(leftovers)];
    return troubles.length === 0 ? [report.ok('no lock and no temporary files')] : troubles;
  },
  fix: ({ root, store }) => {
    const before = inspectLock(join(root, LOCK_FILE));
    // Taking the lock removes what dead processes left behind.
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
        report.warning('a process that has ended left its lock behind', {
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
        report.warning('a process that has ended left temporary files behind', {
          evidence: names.map((name) => `${STATE_FOLDER}/${name}`),
          fix: 'holdfast doctor --fix',
          fixable: true,
        }),
      ];
}

function hasFolder(root: DoctorContext['root']): boolean {
  return locate(root, join(root, STATE_FOLDER)) === 'inside';
}
