import { isNewerFormat, type Unreadable } from '../state/store/run-files.ts';
import {
  holderOf,
  tellFormerHolder,
  withoutBusyHolder,
} from '../sessions/holder.ts';
import type { NewEvent } from '../state/journal.ts';
import { addMessage } from '../state/store/hook-state.ts';
import type { Store, Transaction } from '../state/store/store.ts';
import type { StoredRun } from '../state/types.ts';
import { planSync, returnedState, type SyncPlan } from './plan-sync.ts';
import { recordsAfter, type DoneChange } from './source-records.ts';
import type { SourceUpdate, SyncChange, SyncInput } from './types.ts';

/** Of one sync that holds the lock, unless its caller says otherwise. */
const MAX_CHANGES = 200;

interface SyncOptions {
  by: string;
  /** The state files that were unreadable when `input.runs` was listed. */
  unreadable: readonly Unreadable[];
  /** Whether workflows that have no run yet get one; otherwise only the runs that exist are brought up to date. */
  creates?: boolean;
  /** Limits how long the lock is held: others wait for it, and a hook has only seconds. The next sync does the rest. */
  maxChanges?: number;
  /** Called for each corrupt state file that was moved aside. */
  onSetAside?: (sentence: string) => void;
}

/** Takes the lock only if something has to change; the plan is then made again from what is read under the lock. */
export function syncRuns(
  store: Store,
  input: SyncInput,
  options: SyncOptions,
  plan: SyncPlan = planSync(input),
): readonly StoredRun[] {
  const isSame =
    plan.records === input.sourceRecords &&
    applicable(plan, options).length === 0;
  if (isSame && !options.unreadable.some((file) => file.corrupt))
    return input.runs;
  return store.transaction((tx) => applyPlan(tx, input, options));
}

/** Those of the runs after a sync that no state file had before it. */
export function withoutStored(
  runs: readonly StoredRun[],
  stored: readonly StoredRun[],
) {
  const paths = new Set(stored.map(({ path }) => path));
  return runs.filter(({ path }) => !paths.has(path));
}

function applicable(
  { changes }: SyncPlan,
  { creates = true }: SyncOptions,
): SyncChange[] {
  // What a newer version wrote is left to it.
  return changes.filter((change) =>
    change.run
      ? !isNewerFormat(change.run.state)
      : creates || change.archivedRunId !== undefined,
  );
}

function applyPlan(
  tx: Transaction,
  listed: SyncInput,
  options: SyncOptions,
): StoredRun[] {
  for (const sentence of tx.setAside) options.onSetAside?.(sentence);
  const input = { ...listed, runs: tx.runs, sourceRecords: tx.sourceRecords };
  const current = new Map(tx.runs.map((run) => [run.runId, run]));
  const plan = planSync(input);
  const done: DoneChange[] = [];
  const changes = applicable(plan, options).slice(
    0,
    options.maxChanges ?? MAX_CHANGES,
  );
  for (const change of changes) {
    const run = applyChange(tx, change, [...current.values()], options);
    if (run === null) continue;
    done.push({ change, runId: run.runId });
    // A run that is back with its session: nothing has ended for it.
    if (change.kind === 'create')
      tellFormerHolder(tx, run, holderOf(run.state) ?? '', input.now);
    if (change.kind === 'end') current.delete(change.run.runId);
    else current.set(run.runId, run);
  }
  tx.saveSourceRecords(recordsAfter(plan.records, done, input));
  for (const change of changes) tellHolder(tx, change, input.now);
  return [...current.values()];
}

/** Null if a run that is to come back is no longer in the archive, and none may be created. */
function applyChange(
  tx: Transaction,
  change: SyncChange,
  runs: readonly StoredRun[],
  { by, creates = true }: SyncOptions,
) {
  switch (change.kind) {
    case 'end': {
      const { run, state } = change;
      const why =
        change.as === 'completed' ? { source: run.state.source?.path } : {};
      const event: NewEvent = {
        event: 'archived',
        by,
        ...why,
        reason: state.status_reason,
      };
      return tx.end(run, state, event, { purge: false });
    }
    case 'create': {
      const { state, archivedRunId, updates } = change;
      const [update] = updates;
      const source = pathsIn(updates);
      const returned =
        archivedRunId !== undefined && update
          ? tx.restoreArchived(
              archivedRunId,
              { event: 'returned', by, source },
              (archived) =>
                withoutBusyHolder(returnedState(archived, update), runs),
            )
          : undefined;
      if (returned || !creates) return returned ?? null;
      const event: NewEvent = { event: 'detected', by, source };
      return tx.create(state, event, new Date(state.created_at));
    }
    default: {
      const { run, state, updates, event } = change;
      const source = pathsIn(updates) || state.source?.path;
      const details =
        event === 'merged'
          ? { phase: state.phase }
          : { reason: state.status_reason };
      return tx.write(run, state, { event, by, source, ...details });
    }
  }
}

/** The session that holds the run is told once, at its next start, prompt or command. */
function tellHolder(tx: Transaction, change: SyncChange, now: Date): void {
  if (change.kind === 'create' || change.message === null) return;
  const holder = holderOf(change.run.state);
  if (holder === null) return;
  const { message: text, run } = change;
  const lost = change.kind === 'end' && { taken: run.runId };
  tx.saveHookState(
    addMessage(tx.hookState, holder, { at: now.getTime(), text, ...lost }),
  );
}

const pathsIn = (updates: readonly SourceUpdate[]): string =>
  updates.map(({ path }) => path).join(', ');
