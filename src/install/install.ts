import { existsSync } from 'node:fs';
import { HoldfastError } from '../errors/holdfast-error.ts';
import { errorCode } from '../io/read-file.ts';
import { removeIfEmpty } from '../io/remove.ts';
import { replaceText } from '../io/replace-text.ts';
import { tidyBackups } from './record/backups.ts';
import { withInstallLock } from './with-install-lock.ts';
import { applyChanges, retryOnConflict } from './apply-changes.ts';
import type { Installs } from './record/record.ts';
import { readRecord, setAsideIfDamaged, writeRecord } from './record/record-file.ts';
import { rollbackRecord } from './record/rollback.ts';
import { copyRuntime } from './runtime/runtime.ts';
import { runtimeFolder } from '../io/runtime-paths.ts';
import type { InstallState, Plan } from './types.ts';

/** Settings may hold secrets: a copy of them is no more readable than they are. */
const FOR_THE_USER_ALONE = 0o600;

export interface Installed {
  plan: Plan;
  /** Whether the files that hooks run were copied or brought up to date. */
  isNew: boolean;
  /** Records that could not be understood. */
  damaged: string[];
}

/**
 * Planned before anything is written, for what is to be refused; and again after the slow part, for what changed
 * meanwhile. The record comes first: a process that is killed on the way leaves nothing that cannot be taken out.
 */
export function install(
  config: string,
  runtime: { folder: string; version: string },
  draw: (known: InstallState) => Plan,
): Installed {
  return withInstallLock(config, (made) => {
    const { installs, damaged } = readRecord(config);
    const known: InstallState = { installs, isComplete: damaged.length === 0, made };
    const first = draw(known);
    setAsideIfDamaged(config);
    try {
      prepare(config, first, installs.runtime.version);
      const isNew =
        runtime.folder !== runtimeFolder(config) &&
        copyRuntime(runtime.folder, runtimeFolder(config));
      const plan = retryOnConflict(() => {
        const next = draw({ ...known, made: [...made, ...first.folders] });
        prepare(config, next, runtime.version);
        applyChanges(next.changes);
        return next;
      });
      if (known.isComplete) tidyIfPossible(config, plan.installs);
      return { plan, isNew, damaged };
    } catch (error) {
      // What could not be undone stays on record, for an uninstallation to come.
      if (!(error instanceof HoldfastError && error.code === 'half_done')) {
        const isCopied = runtime.folder !== runtimeFolder(config);
        rollbackRecord(config, installs, known.isComplete && isCopied);
        for (const folder of first.folders) removeIfEmpty(folder);
      }
      throw error;
    }
  });
}

/** All is done by then: a backup too many is no reason to take it back. The next installation tries again. */
function tidyIfPossible(config: string, installs: Installs): void {
  try {
    tidyBackups(config, installs);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}

function prepare(config: string, { backups, installs }: Plan, version: string): void {
  for (const { path, after } of backups) {
    // One that lies there already has the same content: its name tells.
    if (!existsSync(path)) replaceText(path, after ?? '', { mode: FOR_THE_USER_ALONE });
  }
  writeRecord(config, { ...installs, runtime: { version } });
}
