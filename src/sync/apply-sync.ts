import type { SourceFile, SyncInput } from './types.ts';
import type { SourceMemory } from '../state/store/source-memory-file.ts';
import type { Unreadable } from '../state/store/list-runs.ts';
import type { Store } from '../state/store/store.ts';
import {
  forget,
  remember,
  sourcesToRefingerprint,
  withFingerprints,
  type MergedSource,
} from './source-memory.ts';
import { planSync } from './plan-sync.ts';
import type { StoredRun } from '../state/types.ts';

/** A lock is not held for longer than others wait for it, and a hook has seconds: the next look makes the rest. */
const AT_ONCE = 100;
const TIMES = 2;

/** To write the memory costs about as much as to read so many sources again. */
const WORTH_A_WRITE = 20;

export interface SyncRequest {
  sources: readonly SourceFile[];
  /** As it was read a moment ago: whether anything changed is judged by it, not what is written. */
  memory: SourceMemory;
  session: string | null;
  isHeld: (run: StoredRun) => boolean;
  now: Date;
  /** Who asks, for the journal. */
  by: string;
  /** Told of each state file that could not be read and was moved aside. */
  onSetAside?: (file: Unreadable) => void;
}

/** Brings the state files up to what the sources say. Nothing is locked or written where nothing changed. */
export function syncRuns(store: Store, request: SyncRequest): StoredRun[] {
  const { sources, session, isHeld, now } = request;
  const inputFor = (runs: readonly StoredRun[], memory: SyncInput['memory']): SyncInput => ({
    sources,
    session,
    isHeld,
    now,
    runs,
    memory,
  });
  const { runs, unreadable } = store.list();
  const isTidy = unreadable.every((file) => !file.corrupt);
  const isMarked = sourcesToRefingerprint(request.memory, sources).length < WORTH_A_WRITE;
  if (isTidy && isMarked && planSync(inputFor(runs, request.memory)).length === 0) return runs;

  for (let left = TIMES - 1; ; left -= 1) {
    const made = applyBatch(store, request, inputFor);
    if (made.isAll || left === 0) return made.runs;
  }
}

function applyBatch(
  store: Store,
  { sources, by, onSetAside }: SyncRequest,
  inputFor: (runs: readonly StoredRun[], memory: SyncInput['memory']) => SyncInput,
): { runs: StoredRun[]; isAll: boolean } {
  return store.transaction((tx) => {
    for (const file of tx.setAside) onSetAside?.(file);
    const current = new Map(tx.runs.map((run) => [run.runId, run]));
    const finished: SourceFile[] = [];
    const fed: MergedSource[] = [];
    const changes = planSync(inputFor(tx.runs, tx.memory));
    for (const change of changes.slice(0, AT_ONCE)) {
      if (change.kind === 'forget') {
        finished.push(change.source);
        continue;
      }
      if (change.kind === 'archive') {
        const event = { event: 'archived', by, source: change.source.path };
        tx.end(change.run, { ...change.run.state, status: 'completed' }, event, { purge: false });
        finished.push(change.source);
        current.delete(change.run.runId);
        continue;
      }
      const source = change.fedBy.map((feeding) => feeding.source.path).join(', ');
      const run =
        change.kind === 'create'
          ? tx.create(change.state, { event: 'detected', by, source })
          : tx.write(change.run, change.state, {
              event: 'merged',
              by,
              source,
              phase: change.state.phase,
            });
      fed.push(...change.fedBy.map((feeding) => ({ ...feeding, runId: run.runId })));
      current.set(run.runId, run);
    }
    const kept = withFingerprints(finished.reduce(forget, tx.memory), sources);
    tx.keepMemory(remember(kept, fed));
    return { runs: [...current.values()], isAll: changes.length <= AT_ONCE };
  });
}
