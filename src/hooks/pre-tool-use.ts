import type { Reply } from './protocol.ts';
import { readingRoom } from './reading-room.ts';
import type { Surroundings } from './surroundings.ts';

/** Only a session that owes something may be held back. */
export function preToolUse(around: Surroundings): Reply {
  const { input, store } = around;
  return input.session !== null && store.hookMemory().receipts[input.session] !== undefined
    ? (readingRoom()?.preToolUse(around) ?? null)
    : null;
}
