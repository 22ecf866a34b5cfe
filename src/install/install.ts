import { existsSync } from 'node:fs';
import { HoldfastError } from '../errors.ts';
import { codeOf } from '../io/read-file.ts';
import { removeIfEmpty } from '../io/remove.ts';
import { replaceText } from '../io/replace-text.ts';
import { tidyBackups } from './backups.ts';
import { exclusively } from './exclusively.ts';
import { makeChanges, untilSettled } from './make-changes.ts';
import type { Installs } from './record.ts';
import { readRecord, setAsideIfDamaged, writeRecord } from './record-file.ts';
import { forgetOthersThan } from './forget.ts';
import { copyRuntime } from './runtime.ts';
import { homeOf } from './runtime-places.ts';
import type { Known, Plan } from './types.ts';

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
  draw: (known: Known) => Plan,
): Installed {
  return exclusively(config, (made) => {
    const { installs, damaged } = readRecord(config);
    const known: Known = { installs, isComplete: damaged.length === 0, made };
    const first = draw(known);
    setAsideIfDamaged(config);
    try {
      prepare(config, first, installs.runtime.version);
      const isNew =
        runtime.folder !== homeOf(config) && copyRuntime(runtime.folder, homeOf(config));
      const plan = untilSettled(() => {
        const next = draw({ ...known, made: [...made, ...first.folders] });
        prepare(config, next, runtime.version);
        makeChanges(next.changes);
        return next;
      });
      if (known.isComplete) tidyIfPossible(config, plan.installs);
      return { plan, isNew, damaged };
    } catch (error) {
      // What could not be undone stays on record, for an uninstallation to come.
      if (!(error instanceof HoldfastError && error.code === 'half_done')) {
        const isCopied = runtime.folder !== homeOf(config);
        forgetOthersThan(config, installs, known.isComplete && isCopied);
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
    if (codeOf(error) === undefined) throw error;
  }
}

function prepare(config: string, { backups, installs }: Plan, version: string): void {
  for (const { path, after } of backups) {
    // One that lies there already has the same content: its name tells.
    if (!existsSync(path)) replaceText(path, after ?? '', { mode: FOR_THE_USER_ALONE });
  }
  writeRecord(config, { ...installs, runtime: { version } });
}
