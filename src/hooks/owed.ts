import { dirname, resolve } from 'node:path';
import { artifactFiles } from '../artifacts/for-session.ts';
import { readProjectFile } from '../io/read-file.ts';
import { MEMORY_FILES } from '../reading/files-loaded-by-host.ts';
import { MAX_READ_BYTES } from '../reading/project-files.ts';
import { isRefusalLimitReached, parsePendingReads, unreadFiles } from '../reading/pending-reads.ts';
import { unreportedChanges, type ReadingEntry } from '../reading/reading-list.ts';
import { sessionRecord } from '../sessions/holder.ts';
import { SETTINGS_FILE } from '../settings/settings.ts';
import { HOOK_MEMORY_FILE, STATE_FOLDER } from '../state/paths.ts';
import { isGuidanceDue, type HookState } from '../state/store/hook-state.ts';
import type { StoredRun } from '../state/types.ts';
import { heldRun, requiredReading, type HookContext } from './context.ts';

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

/** What a hook knows of the project when it asks what is owed. */
interface Known {
  session: string;
  runs: readonly StoredRun[];
  /** Those that the session holds, active or not. */
  own: readonly StoredRun[];
  hookState: HookState;
}

export function owedTo(context: HookContext, known: Known): OwedMarker {
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
  const { settings } = context;
  const { state } = run;
  const hasArtifacts =
    state.template !== undefined ||
    state.critical_artifacts !== undefined ||
    Object.keys(settings.critical_artifacts).length > 0;
  return {
    run,
    reading: requiredReading(context, run),
    artifacts: hasArtifacts ? artifactFiles(run, context) : [],
  };
}

function owesAtPrompt(
  context: HookContext,
  { hookState, session }: Known,
  run: StoredRun | undefined,
  reading: readonly ReadingEntry[],
): boolean {
  if (isGuidanceDue(hookState, session)) return true;
  if (run === undefined) return false;
  return (
    context.registry.isFillUntold(session) ||
    owesReminder(context, run, () => reading, hookState.receipts[session])
  );
}

/** Whether the next prompt reminds of required files: of those unread since a restore, or of changed ones. */
export function owesReminder(
  { settings }: HookContext,
  run: StoredRun,
  readingOf: () => readonly ReadingEntry[],
  receipt: unknown,
): boolean {
  if (settings.reading.enforce === 'off') return false;
  const reading = readingOf();
  const pending = parsePendingReads(receipt);
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
