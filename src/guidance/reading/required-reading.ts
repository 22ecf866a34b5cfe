import { existsSync, realpathSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { denier } from '../../files/context-files.ts';
import { canonicalPath, isInside } from '../../files/environment.ts';
import {
  locate,
  readProjectFile,
  readTextFile,
} from '../../files/read-file.ts';
import { holderOf } from '../../sessions/holder.ts';
import {
  isHolder,
  type OperationContext,
} from '../../sessions/open-project.ts';
import { WakeMarks } from '../../state/store/state-folder.ts';
import { filesShown, type WantedFile } from '../../sessions/shown-files.ts';
import { findTranscript } from '../../sessions/transcript.ts';
import type { RunState, Run } from '../../state/types.ts';
import { ownMember } from '../../text/json.ts';
import { digestOf } from '../../text/slug.ts';
import { withState } from '../../state/run.ts';
import { filesLoadedByHost } from './loaded-by-host.ts';

export type ReadingState =
  | 'in_context'
  | 'changed'
  | 'unread'
  | 'missing'
  | 'outside'
  | 'host'
  /** A rule of the client's settings keeps the agent from reading it. */
  | 'denied';

export type ReadingEntry = { path: string; state: ReadingState };

/** Whether the session still has to open the file to have it as it is now. */
const isUnread = ({ state }: ReadingEntry): boolean =>
  state === 'unread' || state === 'changed';

export const isReadable = (entry: ReadingEntry): boolean =>
  isUnread(entry) || entry.state === 'in_context';

/** A repository may require any number of files: those beyond this number are assumed to exist, and not read. */
export const MAX_LOOKUPS = 1_000;
/** Of all files together whose content is compared with what was loaded. */
const MAX_TOTAL_BYTES = 20_000_000;

/**
 * Every required file once, even if it is listed under several spellings. For `launchFolder` see `filesLoadedByHost`.
 * With a transcript, a file that the conversation shows as it is now is in the context, however it came there.
 */
export function readingList(
  state: RunState,
  root: string,
  launchFolder?: string,
  transcript: string | null = null,
): ReadingEntry[] {
  const list = recordedReading(state, root, launchFolder);
  return transcript === null ? list : withShown(list, root, transcript);
}

/** What holdfast itself has given or recorded. */
function recordedReading(
  state: RunState,
  root: string,
  launchFolder?: string,
): ReadingEntry[] {
  const entries = requiredPaths(state, root);
  // To find out what the host loads takes time.
  if (entries.length === 0) return [];
  const loadedByHost = filesLoadedByHost(root, launchFolder);
  const isDenied = denier(root);
  const loaded = new LoadedFiles(root, state);

  return entries.map((entry, index) => {
    const path = entry.slice(1);
    const isLookedUp = index < MAX_LOOKUPS;
    const stateOf = (): ReadingState => {
      if (loadedByHost.has(path)) return 'host';
      const absent = isLookedUp ? absence(root, path) : null;
      if (absent !== null) return absent;
      if (isDenied(path)) return 'denied';
      if (!loaded.has(entry)) return 'unread';
      return isLookedUp && loaded.isUnchanged(entry) ? 'in_context' : 'changed';
    };
    return { path: entry, state: stateOf() };
  });
}

function withShown(
  list: ReadingEntry[],
  root: string,
  transcript: string,
): ReadingEntry[] {
  const open = list.slice(0, MAX_LOOKUPS).filter(isUnread);
  const files: WantedFile[] = [];
  let bytesLeft = MAX_TOTAL_BYTES;
  for (const { path: entry } of open) {
    const path = entry.slice(1);
    const maxBytes = Math.min(bytesLeft, MAX_READ_BYTES);
    const file = readProjectFile(root, path, maxBytes);
    if (file.kind !== 'text') continue;
    bytesLeft -= file.text.length;
    files.push({ path, text: file.text });
  }
  // Reading a transcript takes time.
  if (files.length === 0) return list;

  const shown = filesShown(transcript, files, (path) =>
    canonicalPath(root, pathInProject(root, path)),
  );
  return list.map((entry) => {
    const showing = shown?.get(entry.path.slice(1));
    if (showing === undefined || !isUnread(entry)) return entry;
    return { ...entry, state: STATE_OF[showing] };
  });
}

const STATE_OF = { whole: 'in_context', changed: 'changed' } as const;

/** The project may have been opened through a link, and the host may name the file by its real path, or the reverse. */
export function pathInProject(root: string, path: string): string {
  if (isInside(root, path) || !existsSync(path)) return path;
  return relative(realpathSync.native(root), realpathSync.native(path));
}

/** The files in the context of the session that holds a run, each compared with what it is now. */
class LoadedFiles {
  readonly #digests: ReadonlyMap<string, string | undefined>;
  #bytesLeft = MAX_TOTAL_BYTES;

  constructor(
    private readonly root: string,
    state: RunState,
  ) {
    this.#digests = loadedDigests(state);
  }

  has(entry: string): boolean {
    return this.#digests.has(entry);
  }

  /** False for a file that is too large to be compared, or if too much was read for others. */
  isUnchanged(entry: string): boolean {
    const maxBytes = Math.min(this.#bytesLeft, MAX_READ_BYTES);
    const file = readTextFile(resolve(this.root, entry.slice(1)), maxBytes);
    if (file.kind !== 'text') return false;
    this.#bytesLeft -= file.text.length;
    return this.#digests.get(entry) === digestOf(file.text);
  }
}

/** What is in the context of the session that holds the run, by id, each as it was when it was loaded. */
function loadedDigests({
  context_metadata: metadata,
}: RunState): ReadonlyMap<string, string | undefined> {
  const loaded = metadata?.artifacts_in_context ?? [];
  return new Map(loaded.map(({ artifact_id: id, digest }) => [id, digest]));
}

/** Null for a file or folder of the project. */
function absence(root: string, path: string): 'missing' | 'outside' | null {
  const full = resolve(root, path);
  if (path.startsWith('~') || !isInside(resolve(root), full)) return 'outside';
  const place = locate(root, full);
  if (place === 'outside the project') return 'outside';
  const stat = place === 'inside' ? statSync(full) : undefined;
  return stat?.isFile() || stat?.isDirectory() ? null : 'missing';
}

/** One spelling for each file: `@./docs//a.md` becomes `@docs/a.md`, and `@out/{run_id}.md` has the run's id. */
export function requiredPaths(
  { required_reading: reading, run_id, context }: RunState,
  root: string,
): string[] {
  const idOf = (all: string, name: string): string => {
    const id = ownMember({ ...context, run_id }, name);
    return typeof id === 'string' || typeof id === 'number' ? String(id) : all;
  };
  const canonical = (entry: string): string => {
    if (PLAIN_ENTRY.test(entry)) return entry;
    const path = entry.slice(1).replaceAll(ID_PLACEHOLDER, idOf);
    return `@${canonicalPath(root, path)}`;
  };
  return [...new Set(reading.map(canonical))];
}

/**
 * `@docs/api/users.md`: an entry that has one spelling only. Making paths canonical takes time, and a repository may
 * bring a list of a hundred thousand files.
 */
const PLAIN_ENTRY = /^@\w[\w-]*(?:[./][\w-]+)*$/;
/** `{run_id}` */
const ID_PLACEHOLDER = /\{((?:run|plan|work)_id)\}/g;

/** Tests whether a path, in the form stored in runs, is a required file. */
export function requires(
  reading: readonly ReadingEntry[],
  root: string,
): (path: string) => boolean {
  const required = new Set(reading.map(({ path }) => path.slice(1)));
  return (path) =>
    required.has(canonicalPath(root, path.replace(/^\{project_root\}\//, '')));
}

/** Of larger files, hooks do not know whether they were read. */
export const MAX_READ_BYTES = 1_000_000;

/** Folders, binary files and very large ones are not. */
export const isTextFile = (root: string, path: string): boolean =>
  readProjectFile(root, path, MAX_READ_BYTES).kind === 'text';

/** The required files as the calling session has them. */
export function readingOf(context: OperationContext, run: Run): ReadingEntry[] {
  const { root, config, launchFolder } = context;
  const { state } = seenFromHere(context, run);
  const session = context.session ?? holderOf(run.state);
  const transcript =
    session === null ? null : findTranscript(config, session, root);
  const reading = readingList(state, root, launchFolder, transcript);
  const holder = holderOf(state);
  // Without a transcript, the holder's next Read of a file that has changed has to be recorded.
  const isRecorded = transcript === null && holder !== null;
  if (isRecorded && reading.some((entry) => entry.state === 'changed'))
    new WakeMarks(config).wake(holder, ['PostToolUse']);
  return reading;
}

/** The same without what only the transcript shows: what is missing, denied or outside is known without it. */
export function recordedReadingOf(
  context: OperationContext,
  run: Run,
): ReadingEntry[] {
  const { state } = seenFromHere(context, run);
  return readingList(state, context.root, context.launchFolder);
}

/** A person's terminal sees what the session that holds the run has in its context, another session that it has nothing. */
export function seenFromHere(context: OperationContext, run: Run): Run {
  const isSeen = context.session === null || isHolder(context, run);
  if (isSeen && holderOf(run.state) !== null) return run;
  const { context_metadata: _ofTheHolder, ...state } = run.state;
  return withState(run, state);
}
