import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { translateFsErrors } from '../io/fs-errors.ts';
import { removeIfEmpty } from '../io/remove.ts';
import { removeLeftovers } from '../io/replace-text.ts';
import { sessionsFolder } from '../sessions/session-file.ts';
import { withInstallLock } from './with-install-lock.ts';
import { rollbackRecord } from './record/rollback.ts';
import { applyChanges, retryOnConflict } from './apply-changes.ts';
import type { Installs } from './record/record.ts';
import { readRecord, setAsideIfDamaged } from './record/record-file.ts';
import type { InstallState, Plan } from './types.ts';

export interface Uninstalled {
  plan: Plan;
  /** Records that could not be parsed; whatever they may name is kept. */
  damaged: string[];
}

export function uninstall(config: string, draw: (known: InstallState) => Plan): Uninstalled {
  const done = withInstallLock(config, () => {
    const { installs, damaged } = readRecord(config);
    const isComplete = damaged.length === 0;
    const plan = retryOnConflict(() => {
      const next = draw({ installs, isComplete, made: [] });
      applyChanges(next.changes);
      return next;
    });
    sweep(installs, plan);
    setAsideIfDamaged(config);
    rollbackRecord(config, plan.installs, isComplete);
    // Hooks have noted sessions beside the copy; nothing reads that any more.
    if (isComplete && plan.installs.installs.length === 0) removeSessions(config);
    return { plan, damaged };
  });
  translateFsErrors(config, () => {
    for (const folder of done.plan.folders) removeIfEmpty(folder);
  });
  return done;
}

function removeSessions(config: string): void {
  rmSync(sessionsFolder(config), { recursive: true, force: true });
}

/** Removes the temporary files of an installation that was killed. */
function sweep({ installs }: Installs, { changes, folders, installs: left }: Plan): void {
  const staying = new Set(left.installs.map(({ root }) => root));
  const paths = installs
    .filter(({ root }) => !staying.has(root))
    .flatMap(({ edited, files, excludes }) => [
      ...edited.map(({ path }) => path),
      ...files,
      ...excludes,
    ]);
  const inside = [...paths, ...changes.map(({ path }) => path)].map((path) => dirname(path));
  for (const folder of new Set([...inside, ...folders]))
    if (existsSync(folder)) removeLeftovers(folder);
}
