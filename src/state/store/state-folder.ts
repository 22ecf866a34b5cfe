import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { overwriteFile } from '../../files/atomic-write.ts';
import { wakeMark } from '../../files/environment.ts';
import { blockedPath, outsideProject } from '../../files/fs-errors.ts';
import {
  errorCode,
  locate,
  namesIfReadable,
  unlessRefused,
} from '../../files/read-file.ts';
import { HoldfastError } from '../../text/holdfast-error.ts';
import { ARCHIVE_FOLDER, LOGS_FOLDER, STATE_FOLDER } from '../paths.ts';

/** Creates the folders one by one and checks each, so that no link on the way leads out of the project. */
export function makeFolder(root: string, folder: string): void {
  for (const path of foldersTo(folder)) {
    const full = join(root, path);
    const isOwn =
      path === STATE_FOLDER || path === ARCHIVE_FOLDER || path === LOGS_FOLDER;
    // A directory that is no link, in a folder that was checked before, is inside the project.
    const isThere =
      lstatSync(full, { throwIfNoEntry: false })?.isDirectory() === true;
    const isNew = !isThere && makeIfMissing(full, path);
    if (!isThere && !isNew) {
      if (locate(root, full) !== 'inside') throw outsideProject(path);
      if (!statSync(full).isDirectory()) throw blockedPath(path);
      if (isOwn && !isOwnFolder(root, path))
        throw new HoldfastError(
          'foreign_folder',
          `${path} is a link to another folder of the project`,
          { hint: 'replace the link with a directory' },
        );
    }
    if (isOwn && (isNew || isUntouched(full)) && !isForGit(root, path))
      hideFromGit(full);
  }
}

function foldersTo(folder: string): string[] {
  const parts = folder.split('/');
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

/** Only for the user; other folders on the way may have files of other programs. */
const OWN = /^untracked\/workflow-/;

function makeIfMissing(full: string, path: string): boolean {
  try {
    mkdirSync(full, { mode: OWN.test(path) ? 0o700 : 0o777 });
    return true;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    return false;
  }
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
  for (const path of foldersTo(folder)) {
    const stat = statSync(join(root, path), { throwIfNoEntry: false });
    if (stat === undefined) return;
    if (!stat.isDirectory()) throw blockedPath(path);
  }
}

/** Whether holdfast has not written into it yet: an agent made it, or the process that made it died. The log may exist. */
const isUntouched = (full: string): boolean =>
  readdirSync(full).every((name) => {
    if (name === '.gitignore') return lstatSync(join(full, name)).size === 0;
    const names = [name, ...namesIfReadable(join(full, name))].join();
    return !/events[-.].*jsonl|sources\.json/.test(names);
  });

/** Whether git ignores it already, or its index names files in it: then the project wants to see them. */
function isForGit(root: string, folder: string): boolean {
  const read = (path: string): string =>
    unlessRefused(() => readFileSync(join(root, path), 'latin1')) ?? '';
  const ignored = read('.git/info/exclude') + read('.gitignore');
  const isIgnored =
    /^\/?untracked\/?\**\s*$/m.test(ignored) && !/^!.*untracked/m.test(ignored);
  return isIgnored || read('.git/index').includes(`${folder}/`);
}

/** Keeps an existing `.gitignore`, unless it is empty because its writer was killed. */
export function hideFromGit(full: string): void {
  const path = join(full, '.gitignore');
  const size = lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) overwriteFile(path, '*\n');
}

/** The events for which bin/hook.sh starts Node only if a mark says that something is due. */
export const MARKED_EVENTS = [
  'UserPromptSubmit',
  'PostToolUse',
  'PreToolUse',
] as const;
export type MarkedEvent = (typeof MARKED_EVENTS)[number];
type WakingEvent = MarkedEvent | 'SessionStart' | 'FileChanged';

/**
 * Files that wake: one, which is empty, for each session and event with something to do. They are outside the projects,
 * so that a session is woken wherever it works. Whoever makes something due writes the mark; the hook that deals with it
 * removes it. A mark that is lost, or cannot be written, delays what is due to the next SessionStart or command.
 */
export class WakeMarks {
  constructor(
    private readonly config: string,
    /** The session whose marks the caller settles itself, at the end of what it does. */
    private readonly settled: string | null = null,
  ) {}

  wake(session: string, events: readonly WakingEvent[]): void {
    if (session === this.settled) return;
    this.#forEach(session, events, (path) => {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, '');
    });
  }

  remove(session: string, events: readonly WakingEvent[]): void {
    // An exception costs several times as much as looking.
    this.#forEach(session, events, (path) => {
      if (existsSync(path)) unlinkSync(path);
    });
  }

  #forEach(
    session: string,
    events: readonly string[],
    change: (path: string) => void,
  ): void {
    for (const event of events)
      unlessRefused(() => change(wakeMark(this.config, session, event)));
  }
}
