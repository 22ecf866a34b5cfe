import type { Reply } from './protocol.ts';
import { readingSupport } from './reading-support.ts';
import type { HookContext } from './context.ts';

/** Only a session that owes something may be held back. */
export function preToolUse(around: HookContext): Reply {
  const { input, store } = around;
  return input.session !== null && store.hookMemory().receipts[input.session] !== undefined
    ? (readingSupport()?.preToolUse(around) ?? null)
    : null;
}
