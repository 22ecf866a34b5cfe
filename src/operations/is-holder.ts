import { resolveSession, holderOf } from '../sessions/holder.ts';
import type { StoredRun } from '../state/types.ts';
import type { OperationContext } from './context.ts';

/** Whether what is printed here comes into the context that the run's memory is about. */
export function isHolder({ session, store }: OperationContext, { state }: StoredRun): boolean {
  const holder = holderOf(state);
  return session === null ? holder === null : holder === resolveSession(session, store.list().runs);
}
