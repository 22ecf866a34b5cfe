import { compareSummary } from '../guidance/compare-summary.ts';
import { candidateAnswer } from '../guidance/restore/restore-session.ts';
import { environmentOf } from '../sessions/client-process.ts';
import { hold } from '../sessions/holder.ts';
import { isActive } from '../sessions/select-run.ts';
import {
  isGuidanceDue,
  isGuidanceGiven,
  markDue,
  settleCompaction,
} from '../state/store/hook-state.ts';
import type { Transaction } from '../state/store/store.ts';
import { contextActionHappened } from '../templates/run-view.ts';
import {
  detectAndSync,
  once,
  heldRun,
  noteProject,
  touchSession,
  type HookContext,
  stringField,
  type Reply,
} from './context.ts';
import { settleMarks } from './wake.ts';

/** The last event of a compaction. If no SessionStart came before it, the guidance is due at the next prompt. */
export function postCompact(context: HookContext): Reply {
  const { store, input, now } = context;
  const { session } = input;
  // Otherwise SessionStart has just detected and restored everything.
  if (session === null || !isGuidanceGiven(store.hookState(), session)) {
    const { runs } = detectAndSync(context);
    if (session === null || !runs.some(isActive)) return null;
    touchSession(context, runs);
  }
  const time = now.getTime();
  once(context, (tx) => {
    const settled = settleCompaction(tx.hookState, session, time);
    const isTaken = takeNamedRun(context, tx, session);
    if (isGuidanceDue(settled, session)) performContextAction(tx, session, now);
    recordSummary(context, tx, session);
    tx.saveHookState(isTaken ? markDue(settled, session, time) : settled);
    settleMarks(context, tx.runs, tx.hookState);
  });
  return null;
}

/** Takes the run that the summary names, if nothing else had decided. Its guidance is then due at the next prompt. */
function takeNamedRun(context: HookContext, tx: Transaction, session: string): boolean {
  const { input, now, root, client } = context;
  const summary = stringField(input.raw, 'compact_summary') ?? '';
  const run = candidateAnswer(summary, tx.runs, session, context);
  if (run === null) return false;
  const environment = environmentOf(root, input.cwd ?? root, client, context.environment);
  tx.write(run, hold(run.state, session, environment, now, { by: 'evidence' }), {
    event: 'held',
    rule: 'summary',
    by: 'hook PostCompact',
    session_id: session,
  });
  noteProject(context);
  return true;
}

/** What of the run the summary has kept, for those who ask what a compaction loses. */
function recordSummary({ input }: HookContext, tx: Transaction, session: string): void {
  const summary = stringField(input.raw, 'compact_summary');
  const held = heldRun(tx.runs, session);
  const run = held === undefined || summary === null ? undefined : tx.reread(held);
  if (run === undefined || summary === null) return;
  const facts = compareSummary(summary, run.state);
  tx.write(run, run.state, { event: 'compacted', ...facts, session_id: session });
}

/** Done now, because the run may be at another step by the next prompt. */
function performContextAction(tx: Transaction, session: string, now: Date): void {
  const run = heldRun(tx.runs, session);
  if (run === undefined) return;
  const state = contextActionHappened(run.state, 'compact', now.toISOString());
  if (state === run.state) return;
  tx.write(run, state, { event: 'context', performed: '/compact', session_id: session });
}
