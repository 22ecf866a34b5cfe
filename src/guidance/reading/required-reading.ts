import { statSync } from 'node:fs';
import { resolve } from 'node:path';
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
import { LIVE_FOR } from '../../state/live-for.ts';
import { WakeMarks } from '../../state/store/state-folder.ts';
import type { Transaction } from '../../state/store/store.ts';
import type { RunState, Run } from '../../state/types.ts';
import { isObject, ownMember } from '../../text/json.ts';
import { pluralize } from '../../text/relative-time.ts';
import { digestOf } from '../../text/slug.ts';
import { asWord } from '../../text/sanitize.ts';
import { someOf } from '../frame.ts';
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

export const isReadable = ({ state }: ReadingEntry): boolean =>
  state === 'unread' || state === 'changed' || state === 'in_context';

/** A repository may require any number of files: those beyond this number are assumed to exist, and not read. */
export const MAX_LOOKUPS = 1_000;
/** Of all files whose content is compared with what was loaded. */
const MAX_TOTAL_BYTES = 20_000_000;

/** Every required file once, even if it is listed under several spellings. For `launchFolder` see `filesLoadedByHost`. */
export function readingList(
  state: RunState,
  root: string,
  launchFolder?: string,
): ReadingEntry[] {
  const paths = requiredPaths(state, root);
  // To find out what the host loads takes time.
  if (paths.length === 0) return [];
  const loadedByHost = filesLoadedByHost(root, launchFolder);
  const isDenied = denier(root);
  const digests = loadedDigests(state);
  let left = MAX_TOTAL_BYTES;
  const isAsLoaded = (path: string): boolean => {
    const maxBytes = Math.min(left, MAX_READ_BYTES);
    const file = readTextFile(resolve(root, path), maxBytes);
    if (file.kind !== 'text') return false;
    left -= file.text.length;
    return digests.get(`@${path}`) === digestOf(file.text);
  };
  const stateOf = (entry: string, isLookedUp: boolean): ReadingState => {
    const path = entry.slice(1);
    if (loadedByHost.has(path)) return 'host';
    const problem = isLookedUp ? absence(root, path) : null;
    if (problem !== null) return problem;
    if (isDenied(path)) return 'denied';
    if (!digests.has(entry)) return 'unread';
    return isLookedUp && isAsLoaded(path) ? 'in_context' : 'changed';
  };
  return paths.map((entry, index) => {
    const isLookedUp = index < MAX_LOOKUPS;
    return { path: entry, state: stateOf(entry, isLookedUp) };
  });
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
  const { state } = seenFromHere(context, run);
  const reading = readingList(state, context.root, context.launchFolder);
  const holder = holderOf(state);
  // So that the holder's next Read of a file that has changed is recorded.
  if (holder !== null && reading.some((entry) => entry.state === 'changed'))
    new WakeMarks(context.config).wake(holder, ['PostToolUse']);
  return reading;
}

/** A person's terminal sees what the session that holds the run has in its context, another session that it has nothing. */
export function seenFromHere(context: OperationContext, run: Run): Run {
  const isSeen = context.session === null || isHolder(context, run);
  if (isSeen && holderOf(run.state) !== null) return run;
  const { context_metadata: _ofTheHolder, ...state } = run.state;
  return withState(run, state);
}

/** Of one restored run: limited, because a session may have read the files in a way that hooks cannot see. */
const MAX_REFUSALS = 5;
/** Of all sessions, in one file that hooks read at each call. */
const MAX_SESSIONS = 50;
/** Files that one session owes. */
const MAX_OWED = 50;
/** Ranges of lines that are remembered of one file. */
const MAX_RANGES = 100;
/** Files that a reminder names. */
const MAX_NAMED = 8;

/** The required files that a session has not opened since its run was restored. */
export interface PendingReads {
  at: number;
  owed: string[];
  reminded: boolean;
  refusals: number;
  /** For files that are read in parts: the ranges of lines that were read of one version of the file. */
  parts: Record<string, { digest: string; ranges: LineRange[] }>;
}

export type LineRange = [from: number, to: number];

export const isPendingReads = (value: unknown): value is PendingReads =>
  isObject(value) && Array.isArray(value['owed']) && isObject(value['parts']);

/** The newest session comes last; old and invalid entries are dropped. */
export function savePendingReads(
  tx: Transaction,
  session: string,
  pending: PendingReads | null,
): void {
  const now = tx.now.getTime();
  const others = Object.entries(tx.hookState.receipts).filter(
    ([owner, value]) =>
      owner !== session &&
      isPendingReads(value) &&
      Math.abs(now - value.at) < LIVE_FOR,
  );
  const kept = pending === null ? others : [...others, [session, pending]];
  tx.saveHookState({
    ...tx.hookState,
    receipts: Object.fromEntries(kept.slice(-MAX_SESSIONS)),
  });
}

/** Of folders, binary files and very large files, hooks cannot tell whether they were read, so they are not owed. */
export function recordPendingReads(
  tx: Transaction,
  session: string,
  {
    reading,
    inlined,
  }: { reading: readonly ReadingEntry[]; inlined: readonly { id: string }[] },
): void {
  const inlinedIds = new Set(inlined.map(({ id }) => id));
  const owed = reading
    .filter((entry) => isReadable(entry) && !inlinedIds.has(entry.path))
    .map(({ path }) => path)
    .slice(0, MAX_OWED)
    .filter((path) => isTextFile(tx.root, path.slice(1)));
  if (owed.length > 0) {
    const at = tx.now.getTime();
    const pending = { at, owed, reminded: false, refusals: 0, parts: {} };
    savePendingReads(tx, session, pending);
  } else if (tx.hookState.receipts[session] !== undefined)
    savePendingReads(tx, session, null);
}

/** Adds a range of lines of a file that is too long for one Read call; ranges of another version are dropped. */
export function withRange(
  pending: PendingReads,
  path: string,
  digest: string,
  range: LineRange,
): PendingReads {
  const part = pending.parts[path];
  const before = part?.digest === digest ? part.ranges : [];
  const ranges = [...before, range].slice(-MAX_RANGES);
  return {
    ...pending,
    parts: { ...pending.parts, [path]: { digest, ranges } },
  };
}

/** A compaction takes what was read in parts out of the context. */
export function forgetParts(tx: Transaction, session: string): void {
  const pending = tx.hookState.receipts[session];
  if (isPendingReads(pending))
    savePendingReads(tx, session, { ...pending, parts: {} });
}

/** Whether the ranges that were read make up a file of so many lines. */
export function isCovered(
  { parts }: PendingReads,
  path: string,
  lines: number,
): boolean {
  const ranges = (parts[path]?.ranges ?? []).toSorted(([a], [b]) => a - b);
  let end = 0;
  for (const [from, to] of ranges) {
    if (from > end + 1) break;
    end = Math.max(end, to);
  }
  return end >= lines;
}

export const refusalsLeft = ({ refusals }: PendingReads): number =>
  Math.max(0, MAX_REFUSALS - refusals);

/** Hooks cannot see files that an @ mention added, so the note says that those count as read. */
export function readingReminder(unread: readonly ReadingEntry[]): string {
  return `Required files not read since this workflow was restored: ${named(unread)}. Open them with the Read tool (files added with @ count as read).`;
}

export function readingRefusal(
  unread: readonly ReadingEntry[],
  left: number,
): string {
  const bound =
    left === 0
      ? 'edits will not be refused again'
      : `edits will be refused at most ${pluralize(left, 'more time')}`;
  return `reading.enforce is "block": before changes, the Read tool has to open these files of the restored workflow: ${named(unread)}. Read, Glob, Grep and holdfast stay available; ${bound}.`;
}

function named(entries: readonly ReadingEntry[]): string {
  const paths = entries.map(({ path }) => asWord(path));
  const all = paths.length > MAX_NAMED ? ' (`holdfast status` lists them)' : '';
  return `${someOf(paths, MAX_NAMED)}${all}`;
}
