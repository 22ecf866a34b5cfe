import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { translateFsErrors } from '../io/fs-errors.ts';
import { removeIfEmpty } from '../io/remove.ts';
import { removeLeftovers } from '../io/replace-text.ts';
import { sessionsFolder, wakeFolder } from '../io/runtime-paths.ts';
import { withInstallLock } from './with-install-lock.ts';
import { rollbackRecord } from './record/rollback.ts';
import { applyChanges, retryOnConflict } from './apply-changes.ts';
import type { Installs } from './record/record.ts';
import { requireRecord } from './record/record-file.ts';
import type { InstallState, Plan } from './types.ts';

export function uninstall(config: string, draw: (known: InstallState) => Plan): Plan {
  const done = withInstallLock(config, () => {
    const installs = requireRecord(config);
    const plan = retryOnConflict(() => {
      const next = draw({ installs, made: [] });
      applyChanges(next.changes);
      return next;
    });
    sweep(installs, plan);
    rollbackRecord(config, plan.installs);
    // Hooks have noted sessions beside the copy; nothing reads that any more.
    if (plan.installs.installs.length === 0) removeSessions(config);
    return plan;
  });
  translateFsErrors(config, () => {
    for (const folder of done.folders) removeIfEmpty(folder);
  });
  return done;
}

function removeSessions(config: string): void {
  for (const folder of [sessionsFolder(config), wakeFolder(config)])
    rmSync(folder, { recursive: true, force: true });
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
