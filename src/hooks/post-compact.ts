import { settleCompaction, isDuplicateCall, recordCall } from '../state/store/hook-state.ts';
import { resolveSession } from '../sessions/holder.ts';
import { isActive } from '../sessions/select-run.ts';
import type { Transaction } from '../state/store/store.ts';
import type { Reply } from './protocol.ts';
import { contextActionHappened } from '../workflow/run-view.ts';
import { callKey, detectAndSync, heldRun, touchSession, type HookContext } from './context.ts';

/** The last event of a compaction. If no SessionStart came before it, the guidance is due at the next prompt. */
export function postCompact(context: HookContext): Reply {
  const { store, input } = context;
  const { session } = input;
  if (session !== null && store.hookState().restored[session] !== undefined) {
    // SessionStart has just detected and restored everything.
    settle(context, session);
    return null;
  }
  const { runs } = detectAndSync(context);
  if (session === null || !runs.some(isActive)) return null;
  touchSession(context, runs);
  settle(context, session);
  return null;
}

function settle(context: HookContext, session: string): void {
  const { store, now } = context;
  store.transaction((tx) => {
    if (isDuplicateCall(tx.hookState, callKey(context), now.getTime())) return;
    const settled = settleCompaction(tx.hookState, session, now.getTime());
    if (settled.due[session] !== undefined) performContextAction(tx, session, now);
    tx.saveHookState(recordCall(settled, callKey(context), now.getTime()));
  });
}

/** Done now, because the run may be at another step by the next prompt. */
function performContextAction(tx: Transaction, session: string, now: Date): void {
  const holder = resolveSession(session, tx.runs);
  const run = heldRun(tx.runs, holder);
  if (run === undefined) return;
  const state = contextActionHappened(run.state, 'compact', now.toISOString());
  if (state === run.state) return;
  tx.write(run, state, { event: 'context', performed: '/compact', session_id: session });
}
