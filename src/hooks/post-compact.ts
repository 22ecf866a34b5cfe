import { compareSummary } from '../guidance/compare-summary.ts';
import { candidateAnswer, takeRun } from '../guidance/restore/restore-session.ts';
import { environmentOf } from '../sessions/client-process.ts';
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
  const { input, now, root, client } = context;
  const summary = stringField(input.raw, 'compact_summary') ?? '';
  const run = candidateAnswer(summary, tx.runs, session, context);
  if (run === null) return false;
  const environment = environmentOf(root, input.cwd ?? root, client, context.environment);
  const state = takeRun(tx, run, 'evidence', session, { now, environment });
  const event = { event: 'held', rule: 'summary', by: 'hook PostCompact' } as const;
  tx.write(run, state, { ...event, session_id: session });
  noteProject(context);
  return true;
}

/** The step's context action is marked now, because the run may be at another step by the next prompt. */
function recordCompaction(
  { input, now }: HookContext,
  tx: Transaction,
  session: string,
  isDue: boolean,
): void {
  const run = heldRun(tx.runs, session);
  if (run === undefined) return;
  const state = isDue ? contextActionHappened(run.state, 'compact', now.toISOString()) : run.state;
  const event = { event: 'context', performed: '/compact', session_id: session } as const;
  const written = state === run.state ? run : tx.write(run, state, event);
  const summary = stringField(input.raw, 'compact_summary');
  if (summary === null) return;
  // What of the run the summary has kept, for those who ask what a compaction loses.
  const facts = compareSummary(summary, state);
  tx.write(written, written.state, { event: 'compacted', ...facts, session_id: session });
}
