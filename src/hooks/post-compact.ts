import { settleCompaction, isDuplicateCall, recordCall } from '../state/store/hook-memory.ts';
import { resolveSession } from '../sessions/holder.ts';
import { isActive } from '../sessions/select-run.ts';
import type { Transaction } from '../state/store/store.ts';
import type { Reply } from './protocol.ts';
import { contextActionHappened } from '../workflow/run-view.ts';
import { callKey, detectAndSync, heldRun, touchSession, type HookContext } from './context.ts';

/** The last event of a compaction: if its SessionStart never came, the next prompt gives the guidance. */
export function postCompact(around: HookContext): Reply {
  const { store, input } = around;
  const { session } = input;
  if (session !== null && store.hookMemory().restored[session] !== undefined) {
    // SessionStart has just looked at everything.
    settle(around, session);
    return null;
  }
  const { runs } = detectAndSync(around);
  if (session === null || !runs.some(isActive)) return null;
  touchSession(around, runs);
  settle(around, session);
  return null;
}

function settle(around: HookContext, session: string): void {
  const { store, now } = around;
  store.transaction((tx) => {
    if (isDuplicateCall(tx.hookMemory, callKey(around), now.getTime())) return;
    const noted = settleCompaction(tx.hookMemory, session, now.getTime());
    if (noted.due[session] !== undefined) perform(tx, session, now);
    tx.keepHookMemory(recordCall(noted, callKey(around), now.getTime()));
  });
}

/** Now, because the run may be at another step when the next prompt comes. */
function perform(tx: Transaction, session: string, now: Date): void {
  const holder = resolveSession(session, tx.runs);
  const run = heldRun(tx.runs, holder);
  if (run === undefined) return;
  const state = contextActionHappened(run.state, 'compact', now.toISOString());
  if (state === run.state) return;
  tx.write(run, state, { event: 'context', performed: '/compact', session_id: session });
}
