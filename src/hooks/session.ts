import { forgetFill } from '../sessions/fill-warning.ts';
import { wakeMark } from '../files/environment.ts';
import { otherOffers } from '../guidance/restore/choose-restoration.ts';
import {
  restoreSession,
  type RestoreRequest,
} from '../guidance/restore/restore-session.ts';
import { subagentBrief } from '../guidance/summary-instructions.ts';
import { RESTORED_MARK } from '../guidance/guidance.ts';
import { hostOf } from '../hosts/hosts.ts';
import {
  endSession,
  heldRun,
  holderOf,
  sessionRecord,
} from '../sessions/holder.ts';
import { hasEnded } from '../sessions/liveness.ts';
import { isUnanswered } from '../sessions/transcript.ts';
import { isActive } from '../state/run.ts';
import { forgetCalls } from '../state/store/answered-calls.ts';
import { isGuidanceDue, markRestored } from '../state/store/compactions.ts';
import type { HookState } from '../state/store/hook-state.ts';
import { messagesFor, takeMessages } from '../state/store/messages.ts';
import { WakeMarks } from '../state/store/state-folder.ts';
import type { Run } from '../state/types.ts';
import { recordToldWait } from '../templates/waits.ts';
import { isObject } from '../text/json.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import {
  contextReply,
  detectAndSync,
  noteProject,
  once,
  restoreRequest,
  stringField,
  toldText,
  type HookContext,
  type Reply,
} from './context.ts';
import { settleMarks } from './wake.ts';

/** Gives the session the run that it works on, or lists what is in progress. */
export function sessionStart(context: HookContext): Reply {
  const { session, event, raw, store, registry } = context;
  const now = context.now.getTime();
  const source = stringField(raw, 'source') ?? 'startup';
  const isCompaction = source === 'compact';
  // A workflow that has no run yet gets one at a compaction; until then it is only offered.
  const found = detectAndSync(context, isCompaction);
  const { runs } = found;
  const hookState = store.hookState();
  const request = restoreRequest(context, hookState, {
    source,
    ...found,
    // Told after the fact: see hooks/other-hosts.ts.
    isBelated: raw['belated'] === true,
    hasGuidance: source === 'resume' && hasWholeGuidance(context, hookState),
  });
  if (session !== null) registerStart(context, session, request);
  const hasNews =
    hookState.notices.length > 0 ||
    messagesFor(hookState, session ?? '').length > 0;
  if (!hasNews && !runs.some(isActive) && otherOffers(request).length === 0)
    return null;
  return once(context, (tx) => {
    const { choice, text, userLine } = restoreSession(tx, request);
    if ('run' in choice) {
      noteProject(context);
      recordToldWait(registry, session, choice.run);
    }
    const { notices } = tx.hookState;
    const taken = takeMessages(
      { ...tx.hookState, notices: [] },
      session ?? '',
      context.now,
    );
    const news = toldText(taken.news);
    tx.saveHookState(
      isCompaction && session !== null
        ? markRestored(taken.memory, session, now)
        : taken.memory,
    );
    settleMarks(context, tx.withWrites(runs), tx.hookState);
    const notes = notices.map((notice) => `holdfast: ${sanitizeLine(notice)}`);
    const watched =
      'run' in choice ? watchedBy(context, choice.run) : undefined;
    const hasRun = 'run' in choice;
    const forUser = [...notes, text === null && !hasRun ? news : userLine];
    return contextReply(event, [text, news], forUser, watched);
  });
}

/**
 * Whether the first request of a resumed session has the whole guidance: it was given after a compaction with which the
 * session before ended, as `claude -p --resume` does, or it is due at the next prompt.
 */
function hasWholeGuidance(
  { session, raw }: HookContext,
  hookState: HookState,
): boolean {
  if (session !== null && isGuidanceDue(hookState, session)) return true;
  const transcript = stringField(raw, 'transcript_path');
  return transcript !== null && isUnanswered(transcript, RESTORED_MARK);
}

/**
 * Outside the project, so that commands and the MCP server know who the session is even where no run was held, and other
 * sessions that it is there, even where a plan has no run yet.
 */
function registerStart(
  { registry, root, client }: HookContext,
  session: string,
  { source, runs, sources, former }: RestoreRequest,
): void {
  const isCompaction = source === 'compact';
  const hasSource = sources.some(({ state }) => state !== 'none');
  const isIdle = runs.length === 0 && !hasSource;
  if (!isCompaction && !isIdle) registry.recordStart(session, root, client);
  if (former) registry.recordFollower(former, session);
  else if (source === 'resume') registry.recordReturn(session);
  if (isCompaction) forgetFill(registry, session);
  registry.forgetOldClears();
}

/** What the client watches for a session whose run has approval steps; nothing is written there until one is answered. */
function watchedBy(
  { session, config, environment }: HookContext,
  { state }: Run,
): { watchPaths: string[] } | undefined {
  const steps = state.template?.['steps'];
  const isAsking =
    Array.isArray(steps) &&
    steps.some((step) => isObject(step) && step['type'] === 'approval');
  if (session === null || !isAsking || hostOf(environment) !== 'claude')
    return undefined;
  new WakeMarks(config).remove(session, ['FileChanged']);
  return { watchPaths: [wakeMark(config, session, 'FileChanged')] };
}

/** Ends the session record. After /clear the next session finds in it which run to take over. */
export function sessionEnd(context: HookContext): Reply {
  const { session, raw, store, now, client, registry, root } = context;
  const reason = stringField(raw, 'reason') ?? 'other';
  if (session === null) return null;
  if (reason === 'clear') registry.recordClear(session, root, client);
  else registry.recordEnd(session);
  const isOpen = ({ state }: Run): boolean => {
    const record = sessionRecord(state, session);
    if (record === undefined) return false;
    // A session that has gone on after an end ends again, for the run that it holds.
    const isBack = holderOf(state) === session && !hasEnded(record, context);
    return record.ended_at === undefined || isBack;
  };
  const own = store.list().runs.filter(isOpen);
  if (own.length === 0) return null;
  store.transaction((tx) => {
    for (const run of own
      .flatMap((listed) => tx.reread(listed) ?? [])
      .filter(isOpen)) {
      const state = endSession(run.state, session, { reason, client, now });
      tx.write(run, state, {
        event: 'session_ended',
        reason,
        session_id: session,
      });
    }
    tx.saveHookState(forgetCalls(tx.hookState, session));
  });
  return null;
}

/** A sub-agent gets nothing of the conversation but its task. The summariser of a compaction is one without a type. */
export function subagentStart(context: HookContext): Reply {
  const { session, event, raw, store, settings } = context;
  if (
    session === null ||
    settings.subagents === 'off' ||
    stringField(raw, 'agent_type') === null
  )
    return null;
  const run = heldRun(store.list().runs, session);
  if (run === undefined) return null;
  return once(context, () => contextReply(event, [subagentBrief(run)]));
}
