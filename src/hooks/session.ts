import { wakeMark } from '../files/environment.ts';
import { sourceNote } from '../guidance/frame.ts';
import { otherOffers } from '../guidance/restore/choose-restoration.ts';
import {
  candidateAnswer,
  decideUnderLock,
  restoreSession,
  takeRun,
  type RestoreRequest,
} from '../guidance/restore/restore-session.ts';
import {
  candidateInstructions,
  compareSummary,
  shortSummaryInstructions,
  subagentBrief,
  SUMMARY_LEAD,
  summaryInstructions,
} from '../guidance/summary-instructions.ts';
import { RESTORED_MARK } from '../guidance/guidance.ts';
import { hostOf } from '../hosts/hosts.ts';
import { environmentOf } from '../sessions/client-process.ts';
import {
  endSession,
  hasEnded,
  heldRun,
  holderOf,
  sessionRecord,
  touch,
} from '../sessions/holder.ts';
import type { RunChoice } from '../sessions/choose-run.ts';
import { isUnanswered } from '../sessions/transcript.ts';
import { isActive } from '../state/run.ts';
import { withoutDoneItem } from '../sources/source-state.ts';
import { forgetCalls } from '../state/store/answered-calls.ts';
import {
  isGuidanceDue,
  isGuidanceGiven,
  markCompacting,
  markDue,
  markRestored,
  settleCompaction,
} from '../state/store/compactions.ts';
import type { HookState } from '../state/store/hook-state.ts';
import { messagesFor, takeMessages } from '../state/store/messages.ts';
import { WakeMarks } from '../state/store/state-folder.ts';
import type { Transaction } from '../state/store/store.ts';
import type { Run } from '../state/types.ts';
import { contextActionHappened } from '../state/progress.ts';
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
import { forgetLoaded } from '../state/in-context.ts';

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
  if (isCompaction) registry.forgetFill(session);
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

/** Decides which run the session works on, saves its state and replies, as plain text, what the summary must keep. */
export function preCompact(context: HookContext): Reply {
  const { runs, sources } = detectAndSync(context);
  if (!runs.some(isActive)) return null;
  const { session, raw, registry, root, client, now } = context;
  // So that the events after the compaction are known to concern it.
  if (session !== null) registry.recordStart(session, root, client);
  return once(context, (tx) => {
    const request = restoreRequest(context, tx.hookState, {
      source: 'compact',
      runs,
      sources,
    });
    const choice = decideUnderLock(tx, request);
    const isUndecided = choice.kind === 'undecided';
    if (choice.kind === 'run' && session !== null)
      holdForCompaction(context, tx, session, choice, request);
    if (session !== null)
      tx.saveHookState(
        markCompacting(tx.hookState, session, now.getTime(), isUndecided),
      );
    settleMarks(context, tx.withWrites(runs), tx.hookState);
    // The module of holdfast has given the summariser its text already.
    const instructions = stringField(raw, 'custom_instructions') ?? '';
    if (instructions.includes(SUMMARY_LEAD)) return null;
    if (choice.kind === 'run') {
      const run = withoutDoneItem(choice.run, sources);
      return stringField(raw, 'trigger') === 'manual'
        ? shortSummaryInstructions(run)
        : summaryInstructions(run, sourceNote(choice.run, sources));
    }
    return isUndecided ? candidateInstructions(choice.candidates) : null;
  });
}

/** The compaction removes everything that was loaded from the context of the session, which holds the run from now on. */
function holdForCompaction(
  context: HookContext,
  tx: Transaction,
  session: string,
  { run, reason: { rule } }: Extract<RunChoice, { kind: 'run' }>,
  request: RestoreRequest,
): void {
  if (rule === 'handed_over' && request.former)
    context.registry.recordFollower(request.former, session);
  const isHeld = rule === 'held';
  const held = isHeld
    ? touch(run.state, session, context.now)
    : takeRun(tx, run, rule, session, request);
  const state = forgetLoaded(held);
  const event = {
    event: 'held',
    rule,
    by: 'hook PreCompact',
    session_id: session,
  } as const;
  if (state !== run.state) tx.write(run, state, isHeld ? undefined : event);
  noteProject(context);
}

/** The last event of a compaction. If no SessionStart came before it, the guidance is due at the next prompt. */
export function postCompact(context: HookContext): Reply {
  const { store, session, now } = context;
  // Otherwise SessionStart has just detected and restored everything.
  if (session === null || !isGuidanceGiven(store.hookState(), session)) {
    const { runs } = detectAndSync(context);
    if (session === null || !runs.some(isActive)) return null;
  }
  const time = now.getTime();
  once(context, (tx) => {
    const isTaken = takeNamedRun(context, tx, session);
    const settled = settleCompaction(tx.hookState, session, time);
    recordCompaction(context, tx, session, isGuidanceDue(settled, session));
    tx.saveHookState(isTaken ? markDue(settled, session, time) : settled);
    settleMarks(context, tx.runs, tx.hookState);
  });
  return null;
}

/** Takes the run that the summary names, if nothing else had decided. Its guidance is then due at the next prompt. */
function takeNamedRun(
  context: HookContext,
  tx: Transaction,
  session: string,
): boolean {
  const { raw, cwd, now, root, client } = context;
  const summary = stringField(raw, 'compact_summary') ?? '';
  const run = candidateAnswer(summary, tx.runs, session, context);
  if (run === null) return false;
  const environment = environmentOf(root, cwd, client, context.environment);
  const state = takeRun(tx, run, 'evidence', session, { now, environment });
  const event = {
    event: 'held',
    rule: 'summary',
    by: 'hook PostCompact',
  } as const;
  tx.write(run, state, { ...event, session_id: session });
  noteProject(context);
  return true;
}

/** The step's context action is marked now, because the run may be at another step by the next prompt. */
function recordCompaction(
  { raw, now }: HookContext,
  tx: Transaction,
  session: string,
  isDue: boolean,
): void {
  const run = heldRun(tx.runs, session);
  if (run === undefined) return;
  const performed = isDue
    ? contextActionHappened(run, 'compact', now.toISOString())
    : run;
  const { state } = performed;
  const event = {
    event: 'context',
    performed: '/compact',
    session_id: session,
  } as const;
  const written = performed === run ? run : tx.write(performed, state, event);
  const summary = stringField(raw, 'compact_summary');
  if (summary === null) return;
  // What of the run the summary has kept, for those who ask what a compaction loses.
  const facts = compareSummary(summary, state);
  tx.write(written, written.state, {
    event: 'compacted',
    ...facts,
    session_id: session,
  });
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
