import { withoutDue } from '../sessions/hook-memory.ts';
import type { Reply } from './protocol.ts';
import { restore } from './session-start.ts';
import { detect, keepSeen, type Surroundings } from './surroundings.ts';

/** The second chance for guidance that a compaction never brought; given once. */
export function userPromptSubmit(around: Surroundings): Reply {
  const { store, input } = around;
  const { session } = input;
  if (session === null) return null;
  if (store.hookMemory().due[session] === undefined) {
    keepSeen(around, store.list().runs);
    return null;
  }
  const { runs, sources } = detect(around);
  return store.transaction((tx) => {
    if (tx.hookMemory.due[session] === undefined) return null;
    const reply = restore(around, tx, { runs, sources, source: 'compact', isBelated: true });
    tx.keepHookMemory(withoutDue(tx.hookMemory, session));
    return reply;
  });
}
