import type { OperationContext } from '../sessions/open-project.ts';
import { channelOf } from '../sessions/caller.ts';
import type { SourceRecords } from '../state/store/source-records-file.ts';
import type { Run } from '../state/types.ts';
import { syncRuns, withoutStored } from './apply-sync.ts';
import { planSync } from './plan-sync.ts';
import { readSyncInput } from './read-sources.ts';
import type { EndedSource } from './source-records.ts';
import type { SyncChange, SyncInput } from './types.ts';

/** What the next sync would do. */
interface SyncPreview {
  input: SyncInput;
  changes: SyncChange[];
  ended: EndedSource[];
  /** All runs as the sync would leave them. */
  runs: readonly Run[];
  /** The workflows that sources declare and that no state file has yet, as the runs that they become. */
  detected: Run[];
  sourceRecords: SourceRecords;
}

/** Nothing is written. */
export function previewSync(
  context: OperationContext,
  stored: readonly Run[],
  warn: (text: string) => void = context.warn,
): SyncPreview {
  const { store } = context;
  const by = channelOf(context.caller);
  const { input, problems } = readSyncInput(context, {
    runs: stored,
    sourceRecords: store.sourceRecords(),
  });
  for (const { message } of problems) warn(message);
  const plan = planSync(input);
  const dry = store.dryCopy();
  const runs = syncRuns(
    dry,
    input,
    { by, unreadable: [], maxChanges: Infinity },
    plan,
  );
  return {
    input,
    changes: plan.changes,
    ended: plan.ended,
    runs,
    detected: withoutStored(runs, stored),
    sourceRecords: dry.sourceRecords(),
  };
}

/** The runs that the next sync would create; what is wrong with sources is not told. */
export function findDetectedRuns(
  context: OperationContext,
  runs: readonly Run[],
): Run[] {
  return previewSync(context, runs, () => undefined).detected;
}
