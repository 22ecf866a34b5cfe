import { takeFill } from '../sessions/fill-warning.ts';
import { artifactFiles } from '../guidance/artifacts/declared.ts';
import {
  isTextFile,
  readingList,
  type ReadingEntry,
} from '../guidance/reading/required-reading.ts';
import {
  isPendingReads,
  readingReminder,
  refusalsLeft,
  savePendingReads,
  type PendingReads,
} from '../guidance/reading/pending-reads.ts';
import { restoreSession } from '../guidance/restore/restore-session.ts';
import { hostOf } from '../hosts/hosts.ts';
import { heldRun, holderOf } from '../sessions/holder.ts';
import { clearDue, isGuidanceDue } from '../state/store/compactions.ts';
import type { HookState } from '../state/store/hook-state.ts';
import { messagesFor, takeMessages } from '../state/store/messages.ts';
import {
  MARKED_EVENTS,
  WakeMarks,
  type MarkedEvent,
} from '../state/store/state-folder.ts';
import type { Transaction } from '../state/store/store.ts';
import type { Run } from '../state/types.ts';
import { recordToldWait } from '../templates/waits.ts';
import {
  contextReply,
  detectAndSync,
  once,
  restoreRequest,
  stringField,
  toldText,
  type HookContext,
  type Reply,
} from './context.ts';

/** Gives the guidance that a compaction owes, once; else tells what others did, what is unread, how full the context is. */
export function userPromptSubmit(context: HookContext): Reply {
  const { store, session, event, registry, now } = context;
  if (session === null) return null;
  const hookState = store.hookState();
  if (isGuidanceDue(hookState, session)) return restoreDue(context, session);
  const { runs } = store.list();
  // Checked without the lock, because most prompts have nothing to tell.
  if (!isPromptDue(context, session, runs, hookState)) return null;
  const isReminderDue =
    pendingReads(context, runs, hookState)?.reminded === false;
  const unread = isReminderDue ? unreadFiles(context, runs) : [];
  return once(context, (tx) => {
    const { news, memory } = takeMessages(tx.hookState, session, now);
    tx.saveHookState(memory);
    const pending = pendingReads(context, tx.runs, memory);
    const isReminded = isReminderDue && pending?.reminded === false;
    if (isReminded)
      settleReads(tx, session, unread, { ...pending, reminded: true });
    const hasRun = heldRun(tx.runs, session) !== undefined;
    const fill = hasRun ? takeFill(registry, session) : null;
    return contextReply(event, [
      toldText(news),
      isReminded && unread.length > 0 ? readingReminder(unread) : null,
      fill === null ? null : fillWarning(fill),
    ]);
  });
}

/** Given before the automatic compaction, while the agent still knows what it would lose. */
const fillWarning = (percent: number): string =>
  `The context is at ${percent} % of the point where Claude Code compacts it. Save what later phases need now: \`holdfast note\` for decisions, \`holdfast update --set key=value\` for facts, \`--remind\` for rules, \`--read\` for files.`;

function restoreDue(context: HookContext, session: string): Reply {
  const { runs, sources } = detectAndSync(context);
  // The call counts, so that a second installation of this hook does not remind of unread files right away.
  return once(context, (tx) => {
    if (!isGuidanceDue(tx.hookState, session)) return null;
    const start = { source: 'compact', isBelated: true, runs, sources };
    const { choice, text } = restoreSession(
      tx,
      restoreRequest(context, tx.hookState, start),
    );
    if ('run' in choice) recordToldWait(context.registry, session, choice.run);
    tx.saveHookState(clearDue(tx.hookState, session));
    return contextReply(context.event, [text]);
  });
}

/** Leaves the marks of the events that still have something to do for the session, and removes the others. */
export function settleMarks(
  context: HookContext,
  runs: readonly Run[] = context.store.list().runs,
  hookState = context.store.hookState(),
): void {
  const { session, config, registry } = context;
  if (session === null) return;
  const own = runs.filter(({ state }) => holderOf(state) === session);
  const isDue: Record<MarkedEvent, boolean> = {
    UserPromptSubmit:
      registry.entry(session)?.pendingStart !== undefined ||
      isPromptDue(context, session, own, hookState),
    PostToolUse: own.some((run) => hasFilesToRead(context, run)),
    PreToolUse: readsToEnforce(context, own, hookState) !== null,
  };
  const marks = new WakeMarks(config);
  for (const event of MARKED_EVENTS)
    if (isDue[event]) marks.wake(session, [event]);
    else marks.remove(session, [event]);
}

function isPromptDue(
  context: HookContext,
  session: string,
  runs: readonly Run[],
  hookState: HookState,
): boolean {
  const isReminderDue =
    pendingReads(context, runs, hookState)?.reminded === false;
  const hasMessages = messagesFor(hookState, session).length > 0;
  if (isReminderDue || hasMessages) return true;
  if (isGuidanceDue(hookState, session)) return true;
  if (heldRun(runs, session) === undefined) return false;
  return context.registry.entry(session)?.fill?.percent !== undefined;
}

/** Whether reading a file would change what is known to be in the context. Folders and binary files never do. */
function hasFilesToRead(context: HookContext, run: Run): boolean {
  const { root, launchFolder, environment } = context;
  const isRequiredDue = readingList(run.state, root, launchFolder).some(
    ({ path, state }) =>
      state === 'changed' ||
      (state === 'unread' && isTextFile(root, path.slice(1))),
  );
  if (isRequiredDue) return true;
  // Of other hosts only the reading of required files is known.
  if (hostOf(environment) !== 'claude') return false;
  const loaded = new Set(
    run.state.context_metadata?.artifacts_in_context?.map(
      (entry) => entry.artifact_id,
    ),
  );
  return artifactFiles(run, context).some(
    ({ id, path }) => !loaded.has(id) && isTextFile(root, path),
  );
}

/** A session whose edits may be refused: only with `reading.enforce: block`, and only so many times. */
export function readsToEnforce(
  context: HookContext,
  runs: readonly Run[] = context.store.list().runs,
  hookState: HookState = context.store.hookState(),
): PendingReads | null {
  if (context.settings.reading.enforce !== 'block') return null;
  const pending = pendingReads(context, runs, hookState);
  return pending !== null && refusalsLeft(pending) > 0 ? pending : null;
}

/** What is recorded of a session's restore, if the settings ask for the reading; which files are unread is not looked at. */
function pendingReads(
  { session, settings, environment }: HookContext,
  runs: readonly Run[],
  { receipts }: HookState,
): PendingReads | null {
  if (session === null || settings.reading.enforce === 'off') return null;
  // What another host's agent has read is known too seldom for a reminder to be true.
  if (hostOf(environment) !== 'claude') return null;
  const pending = receipts[session];
  const isHeld = heldRun(runs, session) !== undefined;
  return isHeld && isPendingReads(pending) ? pending : null;
}

/** The required files that the conversation has not shown since the last compaction. One that it showed before it changed is none. */
export function unreadFiles(
  { session, root, launchFolder, raw }: HookContext,
  runs: readonly Run[],
): ReadingEntry[] {
  const run = session === null ? undefined : heldRun(runs, session);
  if (run === undefined) return [];
  const transcript = stringField(raw, 'transcript_path');
  return readingList(run.state, root, launchFolder, transcript).filter(
    ({ path, state }) => state === 'unread' && isTextFile(root, path.slice(1)),
  );
}

/** Once nothing is unread, the session is not asked again until its next restore. */
export function settleReads(
  tx: Transaction,
  session: string,
  unread: readonly ReadingEntry[],
  pending: PendingReads,
): void {
  savePendingReads(tx, session, unread.length === 0 ? null : pending);
}
