import { artifactFiles } from '../guidance/artifacts/declared.ts';
import { readProjectFile } from '../files/read-file.ts';
import {
  MAX_READ_BYTES,
  isRefusalLimitReached,
  parsePendingReads,
  unreadFiles,
  type ReadingEntry,
} from '../guidance/reading/reading-list.ts';
import { MARKED_EVENTS, WakeMarks, type MarkedEvent } from '../state/store/state-folder.ts';
import { homeFolder, configFolder } from '../files/environment.ts';
import { holderOf } from '../sessions/holder.ts';
import { isGuidanceDue, messagesFor, type HookState } from '../state/store/hook-state.ts';
import type { StoredRun } from '../state/types.ts';
import { heldRun, requiredReading, type HookContext } from './context.ts';

/** Leaves the marks of the events that still have something to do for the session, and removes the others. */
export function settleMarks(
  context: HookContext,
  runs: readonly StoredRun[] = context.store.list().runs,
  hookState: HookState = context.store.hookState(),
): void {
  const { session } = context.input;
  if (session === null) return;
  const own = runs.filter(({ state }) => holderOf(state) === session);
  const files = own.map((run) => filesOf(context, run));
  const held = heldRun(own, session);
  const reading = files.find(({ run }) => run === held)?.reading ?? [];
  const isDue: Record<MarkedEvent, boolean> = {
    UserPromptSubmit: hasPromptText(context, { hookState, session, held, reading }),
    PostToolUse: files.some((each) => hasFilesToRead(context, each)),
    PreToolUse: mayRefuse(context, { hookState, session }, reading),
  };
  const marks = new WakeMarks(configFolder(context.environment, homeFolder()));
  marks.wake(
    session,
    MARKED_EVENTS.filter((event) => isDue[event]),
  );
  marks.remove(
    session,
    MARKED_EVENTS.filter((event) => !isDue[event]),
  );
}

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

interface AtPrompt {
  hookState: HookState;
  session: string;
  held: StoredRun | undefined;
  reading: readonly ReadingEntry[];
}

function hasPromptText(
  context: HookContext,
  { hookState, session, held, reading }: AtPrompt,
): boolean {
  if (isGuidanceDue(hookState, session) || messagesFor(hookState, session).length > 0) return true;
  if (held === undefined) return false;
  return (
    context.registry.isFillUntold(session) ||
    isReminderDue(context, () => reading, hookState.receipts[session])
  );
}

/** Whether the next prompt reminds of required files that are unread since a restore. */
export function isReminderDue(
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
  { hookState, session }: Pick<AtPrompt, 'hookState' | 'session'>,
  reading: readonly ReadingEntry[],
): boolean {
  if (settings.reading.enforce !== 'block') return false;
  const pending = parsePendingReads(hookState.receipts[session]);
  return (
    pending !== null && !isRefusalLimitReached(pending) && unreadFiles(pending, reading).length > 0
  );
}
