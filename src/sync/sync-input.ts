import type { LivenessContext } from '../sessions/holder.ts';
import type { Settings } from '../settings/settings.ts';
import { readSources, type ReadSourcesResult } from './read-sources.ts';
import { startedPlans } from './source-state.ts';
import type { SyncInput } from './types.ts';

/** The part of every entry point's context that a sync needs. */
export interface SyncContext extends LivenessContext {
  root: string;
  settings: Pick<Settings, 'detect'>;
  session: string | null;
}

/** Runs and source records from one reading of the store or from a transaction. */
export type StoredForSync = Pick<SyncInput, 'runs' | 'sourceRecords'>;

/** Reads the sources of the project and combines them with what is stored. */
export function readSyncInput(
  { root, settings, session, now, hostname, checkout, seenAt }: SyncContext,
  { runs, sourceRecords }: StoredForSync,
): { input: SyncInput; problems: ReadSourcesResult['problems'] } {
  const known = new Set(
    runs.flatMap(({ state: { source } }) => (source?.kind === 'plan' ? (source.path ?? []) : [])),
  );
  const started = startedPlans(runs);
  const { sources, problems } = readSources(root, settings.detect, {
    sourceRecords,
    known,
    started,
  });
  return {
    input: { sources, runs, sourceRecords, session, now, hostname, checkout, seenAt },
    problems,
  };
}
