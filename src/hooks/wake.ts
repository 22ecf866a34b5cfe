import { artifactFiles } from '../guidance/artifacts/declared.ts';
import {
  isPendingReads,
  refusalsLeft,
  type PendingReads,
} from '../guidance/reading/pending-reads.ts';
import { isTextFile, readingList, type ReadingEntry } from '../guidance/reading/reading-list.ts';
import { hostOf } from '../hosts/hosts.ts';
import { holderOf } from '../sessions/holder.ts';
import { isGuidanceDue, messagesFor, type HookState } from '../state/store/hook-state.ts';
import { MARKED_EVENTS, WakeMarks, type MarkedEvent } from '../state/store/state-folder.ts';
import type { StoredRun } from '../state/types.ts';
import { heldRun, type HookContext } from './context.ts';

/** Leaves the marks of the events that still have something to do for the session, and removes the others. */
export function settleMarks(
  context: HookContext,
  runs: readonly StoredRun[] = context.store.list().runs,
  hookState = context.store.hookState(),
): void {
  const { input, settings, config } = context;
  const { session } = input;
  if (session === null) return;
  const own = runs.filter(({ state }) => holderOf(state) === session);
  const unread = unreadSinceRestore(context, own, hookState);
  const isDue: Record<MarkedEvent, boolean> = {
    UserPromptSubmit: isPromptDue(context, own, hookState, unread),
    PostToolUse: own.some((run) => hasFilesToRead(context, run)),
    PreToolUse:
      unread !== null && settings.reading.enforce === 'block' && refusalsLeft(unread.pending) > 0,
  };
  const marks = new WakeMarks(config);
  for (const event of MARKED_EVENTS) marks[isDue[event] ? 'wake' : 'remove'](session, [event]);
}

/** Whether there is something to tell the session at its next prompt. */
export function isPromptDue(
  context: HookContext,
  runs: readonly StoredRun[],
  hookState: HookState,
  unread = unreadSinceRestore(context, runs, hookState),
): boolean {
  const { session } = context.input;
  if (session === null) return false;
  return (
    isGuidanceDue(hookState, session) ||
    messagesFor(hookState, session).length > 0 ||
    unread?.pending.reminded === false ||
    (heldRun(runs, session) !== undefined && context.registry.isFillUntold(session))
  );
}

/** Whether reading a file would change what is known to be in the context. Folders and binary files never do. */
function hasFilesToRead(context: HookContext, run: StoredRun): boolean {
  const isText = (path: string): boolean => isTextFile(context.root, path);
  const { artifacts_in_context: known = [] } = run.state.context_metadata ?? {};
  const loaded = new Set(known.map((entry) => entry.artifact_id));
  const isClaude = hostOf(context.environment) === 'claude';
  return (
    readingList(run.state, context.root, context.launchFolder).some(
      ({ path, state }) => state === 'changed' || (state === 'unread' && isText(path.slice(1))),
    ) ||
    // Of other hosts only the reading of required files is known.
    (isClaude &&
      artifactFiles(run, context).some(({ id, path }) => !loaded.has(id) && isText(path)))
  );
}

/** The required files that are unread since a restore, if the settings ask for them; null for none. */
export function unreadSinceRestore(
  context: HookContext,
  runs?: readonly StoredRun[],
  { receipts }: HookState = context.store.hookState(),
): { pending: PendingReads; files: ReadingEntry[] } | null {
  const { session } = context.input;
  if (session === null || context.settings.reading.enforce === 'off') return null;
  // What another host's agent has read is known too seldom for a reminder to be true.
  if (hostOf(context.environment) !== 'claude') return null;
  const pending = receipts[session];
  if (!isPendingReads(pending)) return null;
  const run = heldRun(runs ?? context.store.list().runs, session);
  if (run === undefined) return null;
  // Files that became required after the restore do not count.
  const files = readingList(run.state, context.root, context.launchFolder).filter(
    ({ path, state }) => state === 'unread' && pending.owed.includes(path),
  );
  return files.length === 0 ? null : { pending, files };
}
