import {
  recentEntries,
  withoutOldEntries,
  type HookState,
} from './hook-state.ts';

/** The same hook may be installed twice; the host then starts both commands at about the same time. */
export const REPEATED_WITHIN_MS = 2_000;

export function isDuplicateCall(
  memory: HookState,
  call: string,
  now: number,
): boolean {
  const answeredAt = memory.calls[call] ?? 0;
  return Math.abs(now - answeredAt) < REPEATED_WITHIN_MS;
}

/** Every hook that changes something ends with this, so what is too old is left out here. */
export function recordCall(
  memory: HookState,
  call: string,
  now: number,
): HookState {
  const calls = { ...memory.calls, [call]: now };
  const recent = recentEntries(calls, Number, now, 2 * REPEATED_WITHIN_MS);
  return withoutOldEntries({ ...memory, calls: recent }, now);
}

/** What a session that has ended sends next is another call, even if it is resumed at once. */
export function forgetCalls(memory: HookState, session: string): HookState {
  // A call begins with its session: see `once` in hooks/context.ts.
  const others = Object.entries(memory.calls).filter(
    ([call]) => !call.startsWith(`${session} `),
  );
  return { ...memory, calls: Object.fromEntries(others) };
}
