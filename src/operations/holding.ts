import { currentIdOf, holderOf } from '../sessions/history.ts';
import type { StoredRun } from '../state/types.ts';
import type { Desk } from './desk.ts';

/** Whether what is printed here comes into the context that the run's memory is about. */
export function isWithHolder({ session, store }: Desk, { state }: StoredRun): boolean {
  const holder = holderOf(state);
  return session === null ? holder === null : holder === currentIdOf(session, store.list().runs);
}
