import { withArrival, withCleared, withReturn } from '../sessions/succession.ts';
import type { HookMemory } from '../sessions/hook-memory.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * A /clear gives the conversation a new id that an MCP server never hears of. Who follows whom is noted wherever
 * runs were ever kept, because the server may start the next one later.
 */
export function noteCleared(around: Surroundings): void {
  const { input, store, environment, now } = around;
  const { session } = input;
  if (session === null || !store.isThere()) return;
  keep(around, (memory) => withCleared(memory, session, environment.CLAUDE_PID, now.getTime()));
}

export function noteArrival(around: Surroundings, source: string): void {
  const { input, environment, now } = around;
  const { session } = input;
  if (session === null) return;
  keep(around, (memory) => {
    const back = withReturn(memory, session);
    return source === 'clear'
      ? withArrival(back, session, environment.CLAUDE_PID, now.getTime())
      : back;
  });
}

function keep({ store }: Surroundings, change: (memory: HookMemory) => HookMemory): void {
  const seen = store.hookMemory();
  if (change(seen) === seen) return;
  store.transaction((tx) => tx.keepHookMemory(change(tx.hookMemory)));
}
