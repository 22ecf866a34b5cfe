import { holderOf, touch } from './holder.ts';
import type { Store } from '../state/store/store.ts';
import type { StoredRun } from '../state/types.ts';

/** Any hook or command of a session shows that it lives; a record that is fresh enough is left alone. */
export function touchHolder(
  store: Store,
  runs: readonly StoredRun[],
  session: string,
  now: Date,
): void {
  const isFaded = ({ state }: StoredRun): boolean =>
    holderOf(state) === session && touch(state, session, now) !== state;
  const faded = runs.filter(isFaded);
  if (faded.length === 0) return;
  store.transaction((tx) => {
    for (const run of faded.flatMap((listed) => tx.reread(listed) ?? []).filter(isFaded))
      tx.write(run, touch(run.state, session, now));
  });
}
