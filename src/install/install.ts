import { existsSync } from 'node:fs';
import { HoldfastError } from '../errors/holdfast-error.ts';
import { errorCode } from '../io/read-file.ts';
import { removeIfEmpty } from '../io/remove.ts';
import { replaceText } from '../io/replace-text.ts';
import { tidyBackups } from './record/backups.ts';
import { withInstallLock } from './with-install-lock.ts';
import { applyChanges, retryOnConflict } from './apply-changes.ts';
import type { Installs } from './record/record.ts';
import { requireRecord, writeRecord } from './record/record-file.ts';
import { rollbackRecord } from './record/rollback.ts';
import { copyRuntime } from './runtime/runtime.ts';
import { runtimeFolder } from '../io/runtime-paths.ts';
import type { InstallState, Plan } from './types.ts';

/** Settings may hold secrets, so only the user may read their backups. */
const OWNER_ONLY = 0o600;

export interface Installed {
  plan: Plan;
  /** Whether the copy that hooks run was created or updated. */
  isNew: boolean;
}

/**
 * Plans twice: before anything is written, to refuse what has to be refused, and after the slow copying, because files
 * may have changed. The record is written first, so that `uninstall` can clean up after a process that was killed.
 */
export function install(
  config: string,
  runtime: { folder: string; version: string },
  draw: (known: InstallState) => Plan,
): Installed {
  return withInstallLock(config, (made) => {
    const installs = requireRecord(config);
    const isCopied = runtime.folder !== runtimeFolder(config);
    const first = draw({ installs, made });
    try {
      prepare(config, first, installs.runtime.version);
      const isNew = isCopied && copyRuntime(runtime.folder, runtimeFolder(config));
      const plan = retryOnConflict(() => {
        const next = draw({ installs, made: [...made, ...first.folders] });
        prepare(config, next, runtime.version);
        applyChanges(next.changes);
        return next;
      });
      tidyIfPossible(config, plan.installs);
      return { plan, isNew };
    } catch (error) {
      // What could not be undone stays on record for a later uninstall.
      if (!(error instanceof HoldfastError && error.code === 'half_done')) {
        if (isCopied) rollbackRecord(config, installs);
        else writeRecord(config, installs);
        for (const folder of first.folders) removeIfEmpty(folder);
      }
      throw error;
    }
  });
}

/** The installation is complete by now; a backup that cannot be removed does not undo it. The next one tries again. */
function tidyIfPossible(config: string, installs: Installs): void {
  try {
    tidyBackups(config, installs);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}

function prepare(config: string, { backups, installs }: Plan, version: string): void {
  for (const { path, after } of backups) {
    // The name has a digest of the content, so an existing backup is the same.
    if (!existsSync(path)) replaceText(path, after ?? '', { mode: OWNER_ONLY });
  }
  writeRecord(config, { ...installs, runtime: { version } });
}
