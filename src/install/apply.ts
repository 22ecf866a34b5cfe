import { dirname } from 'node:path';
import fse from 'fs-extra';
import { HoldfastError } from '../text/holdfast-error.ts';
import { removeIfEmpty } from '../files/read-file.ts';
import { removeTextLeftovers, replaceText } from '../files/atomic-write.ts';
import { installsFile, runtimeFolder, sessionsFolder, wakeFolder } from '../files/environment.ts';
import { readWhole } from './disk.ts';
import type { Change, InstallState, Plan } from './draft.ts';
import {
  requireRecord,
  withInstallLock,
  writeRecord,
  type Install,
  type InstallRecord,
} from './record.ts';
import { copyRuntime, removeRuntime } from './runtime.ts';

/** `isNew`: whether the copy that hooks run was created or updated. */
export type Installed = { plan: Plan; isNew: boolean };

/** The record is written first, so that `uninstall` can clean up after a process that was killed. */
export const install = (
  config: string,
  runtime: { folder: string; version: string },
  makePlan: (state: InstallState) => Plan,
): Installed =>
  withInstallLock(config, (made) => {
    const before = requireRecord(config);
    const isCopied = runtime.folder !== runtimeFolder(config);
    let [isBegun, isNew] = [false, false];
    try {
      const plan = retryOnConflict(() => {
        const next = makePlan({ record: before, made });
        isBegun = true;
        writeRecord(config, { ...next.record, runtime: before.runtime });
        isNew = (isCopied && copyRuntime(runtime.folder, runtimeFolder(config))) || isNew;
        writeRecord(config, { ...next.record, runtime: { version: runtime.version } });
        applyChanges(next.changes, next.folders);
        return next;
      });
      return { plan, isNew };
    } catch (error) {
      // What could not be undone stays on record for a later uninstall.
      if (isBegun && !isFailure(error, 'half_done')) {
        if (isCopied) leave(config, before);
        else writeRecord(config, before);
      }
      throw error;
    }
  });

export function uninstall(config: string, makePlan: (state: InstallState) => Plan): Plan {
  const done = withInstallLock(config, () => {
    const before = requireRecord(config);
    const plan = retryOnConflict(() => {
      const next = makePlan({ record: before, made: [] });
      applyChanges(next.changes);
      return next;
    });
    const left = plan.record.installs;
    const removed = before.installs.filter((each) => !left.includes(each));
    sweep(plan, removed);
    leave(config, plan.record);
    // Hooks have noted sessions beside the copy; nothing reads that any more.
    const isLast = left.length === 0 && (plan.record.hosts ?? []).length === 0;
    for (const folder of isLast ? [sessionsFolder(config), wakeFolder(config)] : [])
      fse.removeSync(folder);
    return plan;
  });
  for (const folder of done.folders) removeIfEmpty(folder);
  return done;
}

/** Records the installations that are left; after the last one, the record and the copy are removed. */
function leave(config: string, record: InstallRecord): void {
  if (record.installs.length > 0 || (record.hosts ?? []).length > 0) {
    writeRecord(config, record);
    return;
  }
  fse.rmSync(installsFile(config), { force: true });
  removeRuntime(runtimeFolder(config));
}

function sweep({ changes, folders }: Plan, removed: readonly Install[]): void {
  const paths = [
    ...changes.map(({ path }) => path),
    ...removed.flatMap(({ settings, files, excludes }) => [
      settings.path,
      ...files.map(({ path }) => path),
      ...excludes.map(({ file }) => file),
    ]),
  ];
  for (const folder of new Set([...paths.map((path) => dirname(path)), ...folders]))
    if (fse.existsSync(folder)) removeTextLeftovers(folder);
}

/** The client may write its settings while this runs; then `work` has to plan again. */
function retryOnConflict<T>(work: () => T): T {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return work();
    } catch (error) {
      if (!isFailure(error, 'changed_meanwhile') || attempt === 3) throw error;
    }
  }
}

/** All changes or none, and then no folder that was created. A file that has changed since the plan is not touched. */
function applyChanges(changes: readonly Change[], newFolders: readonly string[] = []): void {
  const done: Change[] = [];
  try {
    for (const change of changes) {
      apply(change);
      done.push(change);
    }
  } catch (error) {
    for (const change of done.toReversed()) undo(change);
    for (const folder of newFolders) removeIfEmpty(folder);
    throw error;
  }
}

function apply({ path, before, after, isPrivate }: Change): void {
  const confirm = (): void => {
    if (readWhole(path) === before) return;
    throw new HoldfastError('changed_meanwhile', `${path} is being changed by another program`, {
      hint: 'try again in a moment; nothing was changed',
    });
  };
  if (after !== null) {
    replaceText(path, after, { confirm, ...(isPrivate ? { mode: 0o600 } : {}) });
    return;
  }
  confirm();
  fse.rmSync(path, { force: true });
}

function undo({ path, before, after, isPrivate }: Change): void {
  try {
    apply({ path, before: after, after: before, isPrivate });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new HoldfastError(
      'half_done',
      `${path} could not be restored (${reason}) after a later step failed`,
      {
        hint: 'check the permissions and the free space, then run the same command again, or `holdfast uninstall`',
      },
    );
  }
}

const isFailure = (error: unknown, code: string): boolean =>
  error instanceof HoldfastError && error.code === code;
