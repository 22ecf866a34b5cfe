import { sourceNote } from '../guidance/frame.ts';
import { earlyWorkText } from '../guidance/restore/early-work.ts';
import {
  candidateAnswer,
  decideUnderLock,
  type RestoreRequest,
  takeRun,
} from '../guidance/restore/restore-session.ts';
import {
  SUMMARY_LEAD,
  shortSummaryInstructions,
  summaryInstructions,
  candidateInstructions,
} from '../guidance/summary-instructions.ts';
import { heldRun, touch } from '../sessions/holder.ts';
import type { RunChoice } from '../sessions/choose-run.ts';
import { withoutDoneItem } from '../sources/source-state.ts';
import { forgetLoaded } from '../state/in-context.ts';
import { isActive } from '../state/run.ts';
import {
  isGuidanceGiven,
  isGuidanceDue,
  markCompacting,
  settleCompaction,
  markDue,
} from '../state/store/compactions.ts';
import type { Transaction } from '../state/store/store.ts';
import {
  type HookContext,
  type Reply,
  detectAndSync,
  noteProject,
  once,
  restoreRequest,
  stringField,
} from './context.ts';
import { settleMarks } from './wake.ts';
import { environmentOf } from '../sessions/client-process.ts';
import { contextActionHappened } from '../state/progress.ts';

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
      const earlyWork = earlyWorkText(context, run);
      return stringField(raw, 'trigger') === 'manual'
        ? shortSummaryInstructions(run, earlyWork)
        : summaryInstructions(run, sourceNote(choice.run, sources), earlyWork);
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
    if (isGuidanceDue(settled, session))
      recordContextAction(context, tx, session);
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
function recordContextAction(
  { now }: HookContext,
  tx: Transaction,
  session: string,
): void {
  const run = heldRun(tx.runs, session);
  if (run === undefined) return;
  const performed = contextActionHappened(run, 'compact', now.toISOString());
  if (performed === run) return;
  const event = {
    event: 'context',
    performed: '/compact',
    session_id: session,
  } as const;
  tx.write(performed, performed.state, event);
}
