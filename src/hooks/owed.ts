import { artifactFiles } from '../artifacts/for-session.ts';
import { readProjectFile } from '../io/read-file.ts';
import { MAX_READ_BYTES } from '../reading/project-files.ts';
import { isRefusalLimitReached, parsePendingReads, unreadFiles } from '../reading/pending-reads.ts';
import type { ReadingEntry } from '../reading/reading-list.ts';
import { sessionRecord } from '../sessions/holder.ts';
import { isGuidanceDue, type HookState } from '../state/store/hook-state.ts';
import type { StoredRun } from '../state/types.ts';
import { heldRun, requiredReading, type HookContext } from './context.ts';

/** The events that bin/hook.sh asks about; the others always have something to do where there are runs. */
type MarkedEvent = 'UserPromptSubmit' | 'PostToolUse' | 'PreToolUse' | 'SessionEnd';

/** What a hook knows of the project when it asks what is owed. */
interface Known {
  session: string;
  runs: readonly StoredRun[];
  /** Those that the session holds, active or not. */
  own: readonly StoredRun[];
  hookState: HookState;
}

/** The events that still have something to do for a session. */
export function owedTo(context: HookContext, known: Known): MarkedEvent[] {
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
  return EVENTS.filter((event) => isOwed[event]);
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
    owesReminder(context, () => reading, hookState.receipts[session])
  );
}

/** Whether the next prompt reminds of required files that are unread since a restore. */
export function owesReminder(
  { settings }: HookContext,
  readingOf: () => readonly ReadingEntry[],
  receipt: unknown,
): boolean {
  if (settings.reading.enforce === 'off') return false;
  const pending = parsePendingReads(receipt);
  return pending?.reminded === false && unreadFiles(pending, readingOf()).length > 0;
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
