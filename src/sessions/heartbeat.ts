import { holderOf, touch } from './holder.ts';
import type { Store } from '../state/store/store.ts';
import type { StoredRun } from '../state/types.ts';

/** Records that the session is live, unless its record is recent enough already. */
export function touchHolder(
  store: Store,
  runs: readonly StoredRun[],
  session: string,
  now: Date,
): void {
  const isStale = ({ state }: StoredRun): boolean =>
    holderOf(state) === session && touch(state, session, now) !== state;
  const stale = runs.filter(isStale);
  if (stale.length === 0) return;
  store.transaction((tx) => {
    for (const run of stale.flatMap((listed) => tx.reread(listed) ?? []).filter(isStale))
      tx.write(run, touch(run.state, session, now));
  });
}
