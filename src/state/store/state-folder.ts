import { lstatSync, mkdirSync, readdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, dirname } from 'node:path';
import { HoldfastError } from '../../text/holdfast-error.ts';
import { blockedPath, outsideProject } from '../../files/fs-errors.ts';
import { overwriteFile } from '../../files/atomic-write.ts';
import { errorCode, locate, unlessRefused, removeIfThere } from '../../files/read-file.ts';
import { ARCHIVE_FOLDER, LOG_FILE, LOGS_FOLDER, STATE_FOLDER } from '../paths.ts';
import { wakeMark } from '../../files/environment.ts';

/** Creates the folders one by one and checks each, so that no link on the way leads out of the project. */
export function makeFolder(root: string, folder: string): void {
  let path = '';
  for (const part of folder.split('/')) {
    path = path === '' ? part : `${path}/${part}`;
    const full = join(root, path);
    const isNew = makeIfMissing(full, path);
    if (locate(root, full) !== 'inside') throw outsideProject(path);
    if (path === STATE_FOLDER || path === ARCHIVE_FOLDER || path === LOGS_FOLDER) {
      if (!isOwnFolder(root, path)) throw foreignFolder(path);
      if (isNew || isUnfinished(full)) hideFromGit(full);
    }
  }
}

function foreignFolder(path: string): HoldfastError {
  return new HoldfastError('foreign_folder', `${path} is a link to another folder of the project`, {
    hint: 'replace the link with a directory; holdfast keeps only its own files there',
  });
}

/**
 * Whether this folder of holdfast is there, inside the project and under its own name. A link to `.claude`, for example,
 * would make a settings file a record of a run, which commands replace and remove.
 */
export function isOwnFolder(root: string, folder: string): boolean {
  const full = join(root, folder);
  if (locate(root, full) !== 'inside') return false;
  // Some file systems do not tell upper from lower case.
  return basename(realpathSync.native(full)).toLowerCase() === basename(folder);
}

/** Throws if something else is in the place of the folder, where its content would seem to be empty. */
export function requireFolderOrNothing(root: string, folder: string): void {
  let path = '';
  for (const part of folder.split('/')) {
    path = path === '' ? part : `${path}/${part}`;
    const stat = statSync(join(root, path), { throwIfNoEntry: false });
    if (stat === undefined) return;
    if (!stat.isDirectory()) throw blockedPath(path);
  }
}

/** Keeps an existing `.gitignore`, unless it is empty because its writer was killed. */
export function hideFromGit(full: string): void {
  const path = join(full, '.gitignore');
  try {
    writeFileSync(path, '*\n', { flag: 'wx' });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    if (isEmptyFile(path)) overwriteFile(path, '*\n');
  }
}

/** True if the creating process died before `.gitignore` was complete; the log may exist already. */
function isUnfinished(full: string): boolean {
  const [first, ...more] = readdirSync(full).filter((name) => name !== basename(LOG_FILE));
  if (first === undefined) return true;
  return first === '.gitignore' && more.length === 0 && isEmptyFile(join(full, first));
}

function isEmptyFile(path: string): boolean {
  const stat = lstatSync(path);
  return stat.isFile() && stat.size === 0;
}

/** Only for the user; other folders on the way may have files of other programs. */
const OWN = /^untracked\/workflow-/;

function makeIfMissing(full: string, path: string): boolean {
  try {
    mkdirSync(full, { mode: OWN.test(path) ? 0o700 : 0o777 });
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOTDIR') throw blockedPath(path);
    if (code !== 'EEXIST') throw error;
  }
  const stat = lstatSync(full);
  if (!stat.isDirectory() && !stat.isSymbolicLink()) throw blockedPath(path);
  return false;
}

/** The events for which bin/hook.sh starts Node only if a mark says that something is due. */
export const MARKED_EVENTS = ['UserPromptSubmit', 'PostToolUse', 'PreToolUse'] as const;
export type MarkedEvent = (typeof MARKED_EVENTS)[number];

/**
 * Files that wake: one, which is empty, for each session and event with something to do. They are outside the projects,
 * so that a session is woken wherever it works. Whoever makes something due writes the mark; the hook that deals with it
 * removes it. A mark that is lost, or cannot be written, delays what is due to the next SessionStart or command.
 */
export class WakeMarks {
  constructor(private readonly config: string) {}

  wake(session: string, events: readonly (MarkedEvent | 'SessionStart')[]): void {
    for (const event of events) {
      const path = wakeMark(this.config, session, event);
      unlessRefused(() => {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        writeFileSync(path, '');
      });
    }
  }

  remove(session: string, events: readonly (MarkedEvent | 'SessionStart')[]): void {
    for (const event of events)
      unlessRefused(() => removeIfThere(wakeMark(this.config, session, event)));
  }
}
