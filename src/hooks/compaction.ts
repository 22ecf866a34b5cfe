import {
  compareSummary,
  SUMMARY_LEAD,
  candidateInstructions,
  shortSummaryInstructions,
  summaryInstructions,
} from '../guidance/summary-instructions.ts';
import { sourceNote } from '../guidance/frame.ts';
import { candidateAnswer, decideUnderLock, takeRun } from '../guidance/restore/restore-session.ts';
import { forgetParts } from '../guidance/reading/required-reading.ts';
import { environmentOf } from '../sessions/client-process.ts';
import { forgetLoaded, touch, touchHolder } from '../sessions/holder.ts';
import { isActive } from '../sessions/select-run.ts';
import { withoutDoneItem } from '../sources/source-state.ts';
import {
  isGuidanceDue,
  isGuidanceGiven,
  markCompacting,
  markDue,
  settleCompaction,
} from '../state/store/hook-state.ts';
import type { Transaction } from '../state/store/store.ts';
import { contextActionHappened, stepLabel } from '../templates/run-view.ts';
import {
  detectAndSync,
  heldRun,
  noteProject,
  once,
  restoreRequest,
  stringField,
  type HookContext,
  type Reply,
} from './context.ts';
import { settleMarks } from './wake.ts';

/** Decides which run the session works on, saves its state and replies, as plain text, what the summary must keep. */
export function preCompact(context: HookContext): Reply {
  const { runs, sources } = detectAndSync(context);
  if (!runs.some(isActive)) return null;
  const { session, raw, registry, root, client, now } = context;
  // So that the events after the compaction are known to concern it.
  if (session !== null) registry.recordStart(session, root, client);
  return once(context, (tx) => {
    const request = restoreRequest(context, tx.hookState, { source: 'compact', runs, sources });
    const choice = decideUnderLock(tx, request);
    const isUndecided = choice.kind === 'undecided';
    if (choice.kind === 'run' && session !== null) {
      const { run } = choice;
      const { rule } = choice.reason;
      if (rule === 'handed_over' && request.former)
        registry.recordFollower(request.former, session);
      const isHeld = rule === 'held';
      const held = isHeld
        ? touch(run.state, session, now)
        : takeRun(tx, run, rule, session, request);
      // The compaction removes everything that was loaded from the session's context.
      const state = forgetLoaded(held);
      forgetParts(tx, session);
      const event = { event: 'held', rule, by: 'hook PreCompact', session_id: session } as const;
      if (state !== run.state) tx.write(run, state, isHeld ? undefined : event);
      noteProject(context);
    }
    if (session !== null)
      tx.saveHookState(markCompacting(tx.hookState, session, now.getTime(), isUndecided));
    settleMarks(context, tx.withWrites(runs), tx.hookState);
    if (stringField(raw, 'custom_instructions')?.includes(SUMMARY_LEAD) === true) return null;
    if (choice.kind === 'run') {
      const { state } = withoutDoneItem(choice.run, sources);
      const step = stepLabel(state);
      return stringField(raw, 'trigger') === 'manual'
        ? shortSummaryInstructions(state, step)
        : summaryInstructions(state, step, sourceNote(choice.run, sources));
    }
    return isUndecided ? candidateInstructions(choice.candidates) : null;
  });
}

/** The last event of a compaction. If no SessionStart came before it, the guidance is due at the next prompt. */
export function postCompact(context: HookContext): Reply {
  const { store, session, now } = context;
  // Otherwise SessionStart has just detected and restored everything.
  if (session === null || !isGuidanceGiven(store.hookState(), session)) {
    const { runs } = detectAndSync(context);
    if (session === null || !runs.some(isActive)) return null;
    touchHolder(context, runs);
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
function takeNamedRun(context: HookContext, tx: Transaction, session: string): boolean {
  const { raw, cwd, now, root, client } = context;
  const summary = stringField(raw, 'compact_summary') ?? '';
  const run = candidateAnswer(summary, tx.runs, session, context);
  if (run === null) return false;
  const environment = environmentOf(root, cwd ?? root, client, context.environment);
  const state = takeRun(tx, run, 'evidence', session, { now, environment });
  const event = { event: 'held', rule: 'summary', by: 'hook PostCompact' } as const;
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
  const state = isDue ? contextActionHappened(run.state, 'compact', now.toISOString()) : run.state;
  const event = { event: 'context', performed: '/compact', session_id: session } as const;
  const written = state === run.state ? run : tx.write(run, state, event);
  const summary = stringField(raw, 'compact_summary');
  if (summary === null) return;
  // What of the run the summary has kept, for those who ask what a compaction loses.
  const facts = compareSummary(summary, state);
  tx.write(written, written.state, { event: 'compacted', ...facts, session_id: session });
}
