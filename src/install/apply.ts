import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { removeIfEmpty, removeIfThere } from '../io/remove.ts';
import { replaceText } from '../io/replace-text.ts';
import { withLock } from '../io/lock.ts';
import { codeOf } from '../io/read-file.ts';
import { inWords } from '../io/refusals.ts';
import { disk } from './disk.ts';
import { installsFrom, type Installs } from './record.ts';
import { copyRuntime, removeRuntime } from './runtime.ts';
import { backupFolder, homeOf, installsFile } from './runtime-places.ts';
import type { Change, Plan } from './types.ts';

const WAIT_FOR_OTHERS = 10_000;
/** Settings may hold secrets: a copy of them is no more readable than they are. */
const FOR_THE_USER_ALONE = 0o600;

export function readInstalls(config: string): Installs {
  try {
    const text = disk.read(installsFile(config));
    return installsFrom(text === null ? null : JSON.parse(text));
  } catch (error) {
    if (!(error instanceof SyntaxError) && codeOf(error) !== 'not_text') throw error;
    // A damaged record costs the exact bytes of the past, not the removal: entries of ours are known by themselves.
    return installsFrom(null);
  }
}

/** Two installations at once do not overwrite each other's record. `work` is told which folders had to be made. */
export function exclusively<T>(config: string, work: (made: string[]) => T): T {
  const home = homeOf(config);
  return inWords(home, () => {
    const made = makeFolders(home);
    try {
      return withLock(join(home, '.lock'), WAIT_FOR_OTHERS, () => work(made));
    } finally {
      for (const folder of made.length > 0 ? made : [home]) removeIfEmpty(folder);
    }
  });
}

/** The folders that were missing, innermost first. */
function makeFolders(home: string): string[] {
  const outermost = mkdirSync(home, { recursive: true });
  if (outermost === undefined) return [];
  const made = [home];
  for (let folder = home; folder !== outermost; folder = dirname(folder))
    made.push(dirname(folder));
  return made;
}

/** The record is written first: a process that is killed on the way leaves nothing that cannot be taken out. */
export function applyInit(
  config: string,
  { changes, backups, installs }: Plan,
  runtime: { folder: string; version: string },
): boolean {
  const home = homeOf(config);
  const isNew = runtime.folder !== home && copyRuntime(runtime.folder, home);
  makeChanges(backups, FOR_THE_USER_ALONE);
  writeInstalls(config, { ...installs, runtime: { version: runtime.version } });
  makeChanges(changes);
  return isNew;
}

export function applyUninstall(config: string, { changes, backups, installs }: Plan): void {
  makeChanges(changes);
  makeChanges(backups);
  if (installs.installs.length > 0) {
    writeInstalls(config, installs);
    return;
  }
  removeIfThere(installsFile(config));
  rmSync(backupFolder(config), { recursive: true, force: true });
  removeRuntime(homeOf(config));
}

export function writeInstalls(config: string, installs: Installs): void {
  const text = `${JSON.stringify(installs, null, 2)}\n`;
  if (disk.read(installsFile(config)) !== text) replaceText(installsFile(config), text);
}

/** Once nothing of ours is in them any more. */
export function removeFolders({ folders }: Plan): void {
  for (const folder of folders) removeIfEmpty(folder);
}

function makeChanges(changes: readonly Change[], mode?: number): void {
  for (const { path, after } of changes) {
    if (after === null) removeIfThere(path);
    else replaceText(path, after, mode);
  }
}
