import { existsSync, lstatSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { artifactFiles } from '../artifacts/for-session.ts';
import { errorCode, modifiedAt, readProjectFile } from '../io/read-file.ts';
import { MEMORY_FILES } from '../reading/files-loaded-by-host.ts';
import { MAX_READ_BYTES, projectFiles } from '../reading/project-files.ts';
import { isRefusalLimitReached, parsePendingReads, unreadFiles } from '../reading/pending-reads.ts';
import { readingList, unreportedChanges, type ReadingEntry } from '../reading/reading-list.ts';
import { holderOf, sessionRecord } from '../sessions/holder.ts';
import { SETTINGS_FILE } from '../settings/settings.ts';
import { HOOK_MEMORY_FILE, LOCK_FILE, STATE_FOLDER } from '../state/paths.ts';
import { hasRunFolders, stateFilePaths } from '../state/store/list-runs.ts';
import { isGuidanceDue, type HookState } from '../state/store/hook-state.ts';
import type { Transaction } from '../state/store/store.ts';
import type { StoredRun } from '../state/types.ts';
import { heldRun, type HookContext } from './context.ts';

/** The events that bin/hook.sh asks about; the others always have something to do where there are runs. */
type MarkedEvent = 'UserPromptSubmit' | 'PostToolUse' | 'PreToolUse' | 'SessionEnd';

/**
 * What hooks still have to do for a session. bin/hook.sh starts Node for the events, and for any event once one of the
 * files has changed since. Without a marker it starts Node: a lost one costs time and nothing else.
 */
export interface OwedMarker {
  events: MarkedEvent[];
  /** Absolute paths of the files that hooks write right before the marker: they change if they get a newer time. */
  written: string[];
  /** Absolute paths of other files and folders: they change if they do not get an older time. */
  watched: string[];
}

/** File times are a few milliseconds coarse. */
const SAME_TIME = 50;

const LARGE_STATE_BYTES = 500_000;

/** To be called last in a transaction, because every write removes the markers. */
export function recordOwed(
  context: HookContext,
  tx: Transaction,
  listed: readonly StoredRun[] = tx.runs,
): void {
  const { session } = context.input;
  const runs = tx.withWrites(listed);
  if (session === null || runs.length === 0 || !context.isMarkerRead()) return;
  const held = runs.filter(({ state }) => holderOf(state) === session);
  if (held.some((run) => isLarge(context.root, run.path))) return;
  const own = held.flatMap((run) => tx.reread(run) ?? []);
  const known = { session, runs, own, hookState: tx.hookState };
  tx.saveOwed(session, formatMarker(owedTo(context, known)), own.length === 0);
}

/** For calls that have written nothing: otherwise the next event would start Node again. */
export function keepOwedCurrent(context: HookContext): void {
  const { input, root, store, owed } = context;
  if (input.session === null || input.event === 'SessionEnd') return;
  if (owed.saved !== null) {
    if (owed.saved.isOfFolder) dateAfterUnlock(context, input.session);
    return;
  }
  // Some shells compare whole seconds; they are worth a new marker, but not a lock in the project.
  if (isMarkerCurrent(context, input.session, 1_000) || !hasRunFolders(root)) return;
  if (!context.isMarkerRead() || stateFilePaths(root).some((path) => isLarge(root, path))) return;
  const isExact = isMarkerCurrent(context, input.session, 1);
  if (!recordWithoutLock(context, input.session) && !isExact)
    store.transaction((tx) => recordOwed(context, tx));
}

/**
 * Removing the lock has changed the folder once more; nobody else has, as long as there is no other lock. Times are set
 * less exactly than the system sets them, so the marker gets a slightly later one.
 */
function dateAfterUnlock({ root, owed }: HookContext, session: string): void {
  const changed = modifiedAt(join(root, STATE_FOLDER));
  if (changed !== null && !existsSync(join(root, LOCK_FILE))) owed.setTime(session, changed + 2);
}

/** Reading such a state file once more costs a hook more memory than the marker saves time. */
function isLarge(root: string, path: string): boolean {
  try {
    return lstatSync(join(root, path)).size > LARGE_STATE_BYTES;
  } catch (error) {
    // Removed meanwhile, or a run that could not be stored.
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

/** Writes nothing into the project. False if another process may have written to it meanwhile. */
function recordWithoutLock(context: HookContext, session: string): boolean {
  const { root, owed, store } = context;
  const folder = join(root, STATE_FOLDER);
  const before = modifiedAt(folder);
  const isLocked = (): boolean => existsSync(join(root, LOCK_FILE));
  // Every writer creates the lock in this folder, but two changes in quick succession may get the same time.
  if (before === null || Date.now() - before < SAME_TIME || isLocked()) return false;
  const { runs } = store.list();
  const own = runs.filter(({ state }) => holderOf(state) === session);
  const known = { session, runs, own, hookState: store.hookState() };
  owed.write(session, formatMarker(owedTo(context, known)));
  if (modifiedAt(folder) === before && !isLocked()) return true;
  owed.remove(session);
  return false;
}

/** As bin/hook.sh checks it, in a shell that compares times in units of so many milliseconds. */
function isMarkerCurrent(
  { owed, registry }: HookContext,
  session: string,
  precision: number,
): boolean {
  const marker = owed.read(session);
  if (marker === null) return false;
  const [, ...files] = marker.text.split('\n');
  const gap = files.indexOf('');
  const timesOf = (paths: string[]): number[] => paths.flatMap((path) => modifiedAt(path) ?? []);
  const written = [...timesOf(files.slice(0, gap)), registry.changedAt(session) ?? 0];
  const at = precision === 1 ? marker.at : marker.at - (marker.at % precision);
  return (
    marker.at <= Date.now() + SAME_TIME &&
    written.every((time) => time <= marker.at) &&
    timesOf(files.slice(gap).filter(Boolean)).every((time) => time < at)
  );
}

function formatMarker({ events, written, watched }: OwedMarker): string {
  const paths = [...written, '', ...watched].filter((path) => !path.includes('\n'));
  return [events.join(' '), ...paths].map((line) => `${line}\n`).join('');
}

interface Known {
  session: string;
  runs: readonly StoredRun[];
  /** Those that the session holds, active or not. */
  own: readonly StoredRun[];
  hookState: HookState;
}

function owedTo(context: HookContext, known: Known): OwedMarker {
  const { session, runs, own } = known;
  const files = own.map((run) => filesOf(context, run));
  const held = heldRun(own, session);
  const heldReading = files.find(({ run }) => run === held)?.reading ?? [];
  const isOpen = runs.some(({ state }) => {
    const record = sessionRecord(state, session);
    return record !== undefined && record.ended_at === undefined;
  });
  const isOwed: Record<MarkedEvent, boolean> = {
    UserPromptSubmit: owesAtPrompt(context, known, held, heldReading),
    PostToolUse: files.some((each) => hasFilesToRead(context, each)),
    PreToolUse: mayRefuse(context, known, heldReading),
    SessionEnd: isOpen,
  };
  const watched = [...files.flatMap(watchedFiles), SETTINGS_FILE];
  const full = (paths: readonly string[]): string[] => [
    ...new Set(paths.map((path) => resolve(context.root, path))),
  ];
  return {
    events: EVENTS.filter((event) => isOwed[event]),
    // Writers that cannot remove markers start runs, too.
    written: full([
      HOOK_MEMORY_FILE,
      ...(own.length === 0 ? [STATE_FOLDER] : own.map(({ path }) => path)),
    ]),
    watched: full([
      ...watched,
      // A file that is moved, removed or linked anew may have an old time, but its folder has not.
      ...watched.map((path) => dirname(path)),
    ]),
  };
}

const EVENTS: readonly MarkedEvent[] = [
  'UserPromptSubmit',
  'PostToolUse',
  'PreToolUse',
  'SessionEnd',
];

interface RunFiles {
  run: StoredRun;
  reading: ReadingEntry[];
  artifacts: { id: string; path: string }[];
}

function filesOf(context: HookContext, run: StoredRun): RunFiles {
  const { root, launchFolder, settings } = context;
  const { state } = run;
  const hasReading = state.required_reading.length > 0;
  const hasArtifacts =
    state.template !== undefined ||
    state.critical_artifacts !== undefined ||
    Object.keys(settings.critical_artifacts).length > 0;
  return {
    run,
    reading: hasReading ? readingList(state, projectFiles(root, launchFolder)) : [],
    artifacts: hasArtifacts ? artifactFiles(run, context) : [],
  };
}

function owesAtPrompt(
  { settings, registry }: HookContext,
  { hookState, session }: Known,
  run: StoredRun | undefined,
  reading: readonly ReadingEntry[],
): boolean {
  if (isGuidanceDue(hookState, session)) return true;
  if (run === undefined) return false;
  if (registry.isFillUntold(session)) return true;
  if (settings.reading.enforce === 'off') return false;
  const pending = parsePendingReads(hookState.receipts[session]);
  return (
    unreportedChanges(run.state, reading).length > 0 ||
    (pending?.reminded === false && unreadFiles(pending, reading).length > 0)
  );
}

/** Whether reading a file would change what is known to be in the context. Folders and binary files never do. */
function hasFilesToRead({ root }: HookContext, { run, reading, artifacts }: RunFiles): boolean {
  const isText = (path: string): boolean =>
    readProjectFile(root, path, MAX_READ_BYTES).kind === 'text';
  if (reading.some(({ state }) => state === 'changed')) return true;
  if (reading.some(({ path, state }) => state === 'unread' && isText(path.slice(1)))) return true;
  const loaded = new Set(
    run.state.context_metadata?.artifacts_in_context?.map((entry) => entry.artifact_id),
  );
  return artifacts.some(({ id, path }) => !loaded.has(id) && isText(path));
}

function mayRefuse(
  { settings }: HookContext,
  { hookState, session }: Known,
  reading: readonly ReadingEntry[],
): boolean {
  if (settings.reading.enforce !== 'block') return false;
  const pending = parsePendingReads(hookState.receipts[session]);
  return (
    pending !== null && !isRefusalLimitReached(pending) && unreadFiles(pending, reading).length > 0
  );
}

/**
 * A required file that is written, also one that is missing now, may have to be reported or read; so may one that the
 * host loads, once its memory files no longer name it.
 */
function watchedFiles({ reading, artifacts }: RunFiles): string[] {
  const required = reading.flatMap(({ path, state }) => {
    if (state === 'outside') return [];
    return state === 'host' ? MEMORY_FILES : [path.slice(1)];
  });
  return [...required, ...artifacts.map(({ path }) => path)];
}
