import { afterCompaction, isRepeated, withCall } from '../sessions/hook-memory.ts';
import { currentIdOf } from '../sessions/history.ts';
import { isActive } from '../state/select.ts';
import type { Transaction } from '../state/store.ts';
import type { Reply } from './protocol.ts';
import { stepRoomFor } from './step-room.ts';
import { callKey, detect, heldRun, keepSeen, type Surroundings } from './surroundings.ts';

/** The last event of a compaction: if its SessionStart never came, the next prompt gives the guidance. */
export function postCompact(around: Surroundings): Reply {
  const { store, input } = around;
  const { session } = input;
  if (session !== null && store.hookMemory().restored[session] !== undefined) {
    // SessionStart has just looked at everything.
    settle(around, session);
    return null;
  }
  const { runs } = detect(around);
  if (session === null || !runs.some(isActive)) return null;
  keepSeen(around, runs);
  settle(around, session);
  return null;
}

function settle(around: Surroundings, session: string): void {
  const { store, now } = around;
  store.transaction((tx) => {
    if (isRepeated(tx.hookMemory, callKey(around), now.getTime())) return;
    const noted = afterCompaction(tx.hookMemory, session, now.getTime());
    if (noted.due[session] !== undefined) perform(tx, session, now);
    tx.keepHookMemory(withCall(noted, callKey(around), now.getTime()));
  });
}

/** Now, because the run may be at another step when the next prompt comes. */
function perform(tx: Transaction, session: string, now: Date): void {
  const holder = currentIdOf(session, tx.runs);
  const run = heldRun(tx.runs, holder);
  if (run === undefined) return;
  const state = stepRoomFor(run.state)?.happened(run.state, 'compact', now.toISOString());
  if (state === undefined || state === run.state) return;
  tx.write(run, state, { event: 'context', performed: '/compact', session_id: session });
}
