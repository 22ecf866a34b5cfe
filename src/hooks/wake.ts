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
import type { Run } from '../state/types.ts';
import { recordToldWait } from '../templates/waits.ts';
import {
  contextReply,
  detectAndSync,
  once,
  restoreRequest,
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
  const unread = unreadSinceRestore(context, runs, hookState);
  if (!isPromptDue(context, session, runs, hookState, unread)) return null;
  return once(context, (tx) => {
    const { news, memory } = takeMessages(tx.hookState, session, now);
    tx.saveHookState(memory);
    const { pending, files = [] } =
      unreadSinceRestore(context, tx.runs, memory) ?? {};
    const isReminded = pending?.reminded === false;
    if (isReminded)
      savePendingReads(tx, session, { ...pending, reminded: true });
    const hasRun = heldRun(tx.runs, session) !== undefined;
    const fill = hasRun ? takeFill(registry, session) : null;
    return contextReply(event, [
      toldText(news),
      isReminded ? readingReminder(files) : null,
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
  const unread = unreadSinceRestore(context, own, hookState);
  const isDue: Record<MarkedEvent, boolean> = {
    UserPromptSubmit:
      registry.entry(session)?.pendingStart !== undefined ||
      isPromptDue(context, session, own, hookState, unread),
    PostToolUse: own.some((run) => hasFilesToRead(context, run)),
    PreToolUse: unreadToRefuse(context, own, hookState) !== null,
  };
  const marks = new WakeMarks(config);
  for (const event of MARKED_EVENTS)
    if (isDue[event]) marks.wake(session, [event]);
    else marks.remove(session, [event]);
}

function isPromptDue(
  { registry }: HookContext,
  session: string,
  runs: readonly Run[],
  hookState: HookState,
  unread: UnreadFiles | null,
): boolean {
  const isReminderDue = unread?.pending.reminded === false;
  const hasMessages = messagesFor(hookState, session).length > 0;
  if (isReminderDue || hasMessages) return true;
  if (isGuidanceDue(hookState, session)) return true;
  if (heldRun(runs, session) === undefined) return false;
  return registry.entry(session)?.fill?.percent !== undefined;
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

interface UnreadFiles {
  pending: PendingReads;
  files: ReadingEntry[];
}

/** The unread files because of which an edit is refused: only with `reading.enforce: block`, and only so many times. */
export function unreadToRefuse(
  context: HookContext,
  runs?: readonly Run[],
  hookState?: HookState,
): UnreadFiles | null {
  if (context.settings.reading.enforce !== 'block') return null;
  const unread = unreadSinceRestore(context, runs, hookState);
  return unread !== null && refusalsLeft(unread.pending) > 0 ? unread : null;
}

/** The required files that are unread since a restore, if the settings ask for them; null for none. */
function unreadSinceRestore(
  context: HookContext,
  runs?: readonly Run[],
  { receipts }: HookState = context.store.hookState(),
): UnreadFiles | null {
  const { session } = context;
  if (session === null || context.settings.reading.enforce === 'off')
    return null;
  // What another host's agent has read is known too seldom for a reminder to be true.
  if (hostOf(context.environment) !== 'claude') return null;
  const pending = receipts[session];
  if (!isPendingReads(pending)) return null;
  const run = heldRun(runs ?? context.store.list().runs, session);
  if (run === undefined) return null;
  // Files that became required after the restore do not count.
  const list = readingList(run.state, context.root, context.launchFolder);
  const files = list.filter(
    ({ path, state }) => state === 'unread' && pending.owed.includes(path),
  );
  return files.length === 0 ? null : { pending, files };
}
