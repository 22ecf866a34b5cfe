import { basename, dirname } from 'node:path';
import fse from 'fs-extra';
import { HoldfastError } from '../text/holdfast-error.ts';
import { removeIfEmpty, unlessRefused } from '../files/read-file.ts';
import { removeTextLeftovers, replaceText } from '../files/atomic-write.ts';
import {
  clientsFolder,
  installsFile,
  projectsFolder,
  runtimeFolder,
  sessionsFolder,
  wakeFolder,
} from '../files/environment.ts';
import { readWhole } from './disk.ts';
import type { Change, InstallState, Plan } from './draft.ts';
import {
  requireRecord,
  withInstallLock,
  writeRecord,
  type InstallRecord,
} from './record.ts';
import { copyRuntime, removeRuntime } from './runtime.ts';

export interface Installed {
  plan: Plan;
  /** Whether the copy that hooks run was created or updated. */
  isNew: boolean;
}

/** A file that is new and private can be read and written by its owner only. */
const OWNER_ONLY = 0o600;

export function install(
  config: string,
  runtime: { folder: string; version: string },
  makePlan: (state: InstallState) => Plan,
): Installed {
  return withInstallLock(config, (made) => {
    const before = requireRecord(config);
    const plan = makePlan({ record: before, made });
    const isCopied = runtime.folder !== runtimeFolder(config);
    try {
      // First, so that `uninstall` can clean up after a process that was killed.
      writeRecord(config, { ...plan.record, runtime: before.runtime });
      const isNew =
        isCopied && copyRuntime(runtime.folder, runtimeFolder(config));
      writeRecord(config, {
        ...plan.record,
        runtime: { version: runtime.version },
      });
      applyChanges(plan.changes, plan.folders);
      return { plan, isNew };
    } catch (error) {
      // What could not be undone stays on record for a later uninstall.
      const isHalfDone =
        error instanceof HoldfastError && error.code === 'half_done';
      if (isHalfDone) throw error;
      if (isCopied) leave(config, before);
      else writeRecord(config, before);
      throw error;
    }
  });
}

export function uninstall(
  config: string,
  makePlan: (state: InstallState) => Plan,
): Plan {
  const done = withInstallLock(config, () => {
    const plan = makePlan({ record: requireRecord(config), made: [] });
    applyChanges(plan.changes);
    leave(config, plan.record);
    // Hooks and the module have noted sessions, projects and clients beside the copy; nothing reads that any more.
    if (isLast(plan.record)) {
      fse.removeSync(sessionsFolder(config));
      fse.removeSync(wakeFolder(config));
      fse.removeSync(projectsFolder(config));
      fse.removeSync(clientsFolder(config));
    }
    return plan;
  });
  for (const folder of done.folders) removeIfEmpty(folder);
  return done;
}

const isLast = ({ installs, hosts = [] }: InstallRecord): boolean =>
  installs.length === 0 && hosts.length === 0;

/** Records the installations that are left; after the last one, the record and the copy are removed. */
function leave(config: string, record: InstallRecord): void {
  if (!isLast(record)) {
    writeRecord(config, record);
    return;
  }
  fse.rmSync(installsFile(config), { force: true });
  removeRuntime(runtimeFolder(config));
}

/** All changes or none, and then no folder that was created. */
function applyChanges(
  changes: readonly Change[],
  newFolders: readonly string[] = [],
): void {
  const done: Change[] = [];
  try {
    for (const change of changes) {
      apply(change);
      done.push(change);
    }
  } catch (error) {
    const stuck = done.toReversed().filter((change) => !undo(change));
    for (const folder of newFolders) removeIfEmpty(folder);
    if (stuck.length === 0) throw error;

    const paths = stuck.map(({ path }) => path).join(', ');
    const reason = error instanceof Error ? error.message : String(error);
    throw new HoldfastError(
      'half_done',
      `${paths} could not be restored after a later step failed (${reason})`,
      {
        hint: 'check the permissions and the free space, then run the same command again, or `holdfast uninstall`',
      },
    );
  }
}

/** False if the file system, or another program that has changed the file, does not allow it. */
function undo(change: Change): boolean {
  const reverse = { ...change, before: change.after, after: change.before };
  const done = unlessRefused(() => {
    apply(reverse);
    return true;
  });
  return done === true;
}

/** A file that has changed since the plan is not touched: the client may write its settings at any moment. */
function apply({ path, before, after, isPrivate }: Change): void {
  const confirmUnchanged = (): void => {
    if (readWhole(path) === before) return;
    throw new HoldfastError(
      'changed_meanwhile',
      `${path} is being changed by another program`,
      {
        hint: 'try again in a moment; nothing was changed',
      },
    );
  };
  if (after !== null) {
    const confirm = confirmUnchanged;
    const options = isPrivate ? { confirm, mode: OWNER_ONLY } : { confirm };
    replaceText(path, after, options);
    return;
  }
  confirmUnchanged();
  removeTextLeftovers(dirname(path), basename(path));
  fse.rmSync(path, { force: true });
}
