import { holderOf, markSeen } from '../sessions/history.ts';
import type { Store } from './store.ts';
import type { StoredRun } from './types.ts';

/** Any hook or command of a session shows that it lives; a record that is fresh enough is left alone. */
export function markHolderSeen(
  store: Store,
  runs: readonly StoredRun[],
  session: string,
  now: Date,
): void {
  const isFaded = ({ state }: StoredRun): boolean =>
    holderOf(state) === session && markSeen(state, session, now) !== state;
  if (!runs.some(isFaded)) return;
  store.transaction((tx) => {
    for (const run of tx.runs.filter(isFaded)) tx.write(run, markSeen(run.state, session, now));
  });
}
