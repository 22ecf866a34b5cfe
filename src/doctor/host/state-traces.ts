import { byRecency } from '../../sessions/select-run.ts';
import { dueSince, type Compaction } from '../../state/store/compaction.ts';
import type { Store } from '../../state/store/store.ts';

const MAX_JOURNALS = 10;

/** A run of one of our hooks. */
export interface Trace {
  event: string;
  at: number;
}

/** Traces that hooks left in the state of the project. */
export function stateTraces(store: Store): Trace[] {
  const newest = byRecency([...store.list().runs, ...store.archive().runs]).slice(0, MAX_JOURNALS);
  const fromJournals = newest.flatMap((run) =>
    store
      .journal(run)
      .flatMap(({ event, by, at }) => traceOf(eventBehind(event, by), Date.parse(at))),
  );
  const { calls, compactions } = store.hookState();
  return [
    ...fromJournals,
    ...Object.entries(calls).flatMap(([call, at]) => traceOf(call.split(' ')[1], at)),
    ...Object.values(compactions).flatMap(compactionTrace),
  ];
}

function compactionTrace(compaction: Compaction): Trace[] {
  const dueAt = dueSince(compaction);
  if (dueAt !== null) return traceOf('PostCompact', dueAt);
  return compaction.stage === 'restored' ? traceOf('SessionStart', compaction.at) : [];
}

/** Only hooks write these journal entries; commands write others. */
function eventBehind(entry: string, by: unknown): string | undefined {
  if (typeof by === 'string' && by.startsWith('hook ')) return by.slice('hook '.length);
  if (entry === 'restored') return 'SessionStart';
  return entry === 'session_ended' ? 'SessionEnd' : undefined;
}

function traceOf(event: string | undefined, at: number): Trace[] {
  return event === undefined || event === '' || Number.isNaN(at) ? [] : [{ event, at }];
}
