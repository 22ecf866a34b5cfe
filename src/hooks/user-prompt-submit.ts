import { holderOf, markSeen } from '../sessions/history.ts';
import { readSources } from '../io/sources.ts';
import type { StoredRun } from '../state/types.ts';
import type { Reply } from './protocol.ts';
import { restore } from './session-start.ts';
import type { Surroundings } from './surroundings.ts';

/** The second chance for guidance that a compaction never brought; given once. */
export function userPromptSubmit(around: Surroundings): Reply {
  const { store, root, settings } = around;
  const { runs } = store.list();
  if (runs.length === 0) return null;
  const { session } = around.input;
  if (session === null) return null;
  if (store.hookMemory().due[session] === undefined) {
    keepSeen(around, runs, session);
    return null;
  }
  const { sources } = readSources(root, settings.detect);
  return store.transaction((tx) => {
    if (tx.hookMemory.due[session] === undefined) return null;
    const { [session]: _given, ...due } = tx.hookMemory.due;
    tx.keepHookMemory({ ...tx.hookMemory, due });
    return restore(around, tx, sources, 'compact');
  });
}

/** A session that works counts as live; most prompts find its record fresh enough and write nothing. */
function keepSeen({ store, now }: Surroundings, runs: readonly StoredRun[], session: string): void {
  const isFaded = ({ state }: StoredRun): boolean =>
    holderOf(state) === session && markSeen(state, session, now) !== state;
  if (!runs.some(isFaded)) return;
  store.transaction((tx) => {
    for (const run of tx.runs.filter(isFaded)) tx.write(run, markSeen(run.state, session, now));
  });
}
