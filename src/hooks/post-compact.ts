import { afterCompaction, isRepeated, withCall } from '../sessions/hook-memory.ts';
import { isActive } from '../state/select.ts';
import type { Reply } from './protocol.ts';
import { callKey, detect, keepSeen, type Surroundings } from './surroundings.ts';

/** The last event of a compaction: if its SessionStart never came, the next prompt gives the guidance. */
export function postCompact(around: Surroundings): Reply {
  const { store, now, input } = around;
  const { runs } = detect(around);
  const { session } = input;
  if (session === null || !runs.some(isActive)) return null;
  keepSeen(around, runs);
  store.transaction((tx) => {
    if (isRepeated(tx.hookMemory, callKey(around), now.getTime())) return;
    const noted = afterCompaction(tx.hookMemory, session, now.getTime());
    tx.keepHookMemory(withCall(noted, callKey(around), now.getTime()));
  });
  return null;
}
