import type { Unreadable } from '../state/store/run-files.ts';
import { isNewerFormat } from '../state/store/state-format.ts';
import {
  holderOf,
  tellFormerHolder,
  withoutBusyHolder,
} from '../sessions/holder.ts';
import type { NewEvent } from '../state/journal.ts';
import { addMessage } from '../state/store/messages.ts';
import type { Store, Transaction } from '../state/store/store.ts';
import type { Run } from '../state/types.ts';
import { planSync, returnedState, type SyncPlan } from './plan-sync.ts';
import { recordsAfter, type DoneChange } from './source-records.ts';
import type { SourceUpdate, SyncChange, SyncInput } from './types.ts';

/**
 * Of one sync, unless its caller says otherwise. Limits how long the lock is held: others wait for it, and a hook has
 * only seconds. The next sync does the rest.
 */
const MAX_CHANGES = 200;

interface SyncOptions {
  /** Who syncs, for the journals. */
  by: string;
  /** The state files that were unreadable when `input.runs` was listed. */
  unreadable: readonly Unreadable[];
  /** Whether workflows that have no run yet get one; otherwise only the runs that exist are brought up to date. */
  creates?: boolean;
  maxChanges?: number;
  /** Called for each corrupt state file that was moved aside. */
  onSetAside?: (sentence: string) => void;
}

type ChangeOf<Kind extends SyncChange['kind']> = Extract<
  SyncChange,
  { kind: Kind }
>;

/** Takes the lock only if something has to change; the plan is then made again from what is read under the lock. */
export function syncRuns(
  store: Store,
  input: SyncInput,
  options: SyncOptions,
  plan: SyncPlan = planSync(input),
): readonly Run[] {
  const hasChanges =
    plan.records !== input.sourceRecords ||
    applicableChanges(plan, options).length > 0;
  const hasCorruptFile = options.unreadable.some((file) => file.corrupt);
  // A corrupt state file is moved aside, which takes the lock as well.
  if (!hasChanges && !hasCorruptFile) return input.runs;
  return store.transaction((tx) => applyPlan(tx, input, options));
}

/** Those of the runs after a sync that no state file had before it. */
export function withoutStored(
  runs: readonly Run[],
  stored: readonly Run[],
): Run[] {
  const paths = new Set(stored.map(({ path }) => path));
  return runs.filter(({ path }) => !paths.has(path));
}

function applicableChanges(
  { changes }: SyncPlan,
  { creates = true }: SyncOptions,
): SyncChange[] {
  return changes.filter((change) => {
    // What a newer version wrote is left to it.
    if (change.run) return !isNewerFormat(change.run.state);
    return creates || change.archivedRunId !== undefined;
  });
}

function applyPlan(
  tx: Transaction,
  listed: SyncInput,
  options: SyncOptions,
): Run[] {
  for (const sentence of tx.setAside) options.onSetAside?.(sentence);
  const input = { ...listed, runs: tx.runs, sourceRecords: tx.sourceRecords };
  const plan = planSync(input);
  const { maxChanges = MAX_CHANGES } = options;
  const changes = applicableChanges(plan, options).slice(0, maxChanges);

  const current = new Map(tx.runs.map((run) => [run.runId, run]));
  const done: DoneChange[] = [];
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

/** The run as it is stored now; null if it was to come back and is no longer in the archive, and none may be created. */
function applyChange(
  tx: Transaction,
  change: SyncChange,
  runs: readonly Run[],
  options: SyncOptions,
): Run | null {
  switch (change.kind) {
    case 'create':
      return createRun(tx, change, runs, options);
    case 'update':
      return updateRun(tx, change, options);
    default:
      return endRun(tx, change, options);
  }
}

function createRun(
  tx: Transaction,
  { state, archivedRunId, updates }: ChangeOf<'create'>,
  runs: readonly Run[],
  { by, creates = true }: SyncOptions,
): Run | null {
  const [update] = updates;
  const source = pathsOf(updates);
  if (archivedRunId !== undefined && update) {
    const event: NewEvent = { event: 'returned', by, source };
    const returned = tx.restoreArchived(archivedRunId, event, (archived) =>
      withoutBusyHolder(returnedState(archived, update), runs),
    );
    if (returned) return returned;
  }
  if (!creates) return null;
  const event: NewEvent = { event: 'detected', by, source };
  return tx.create(state, event, new Date(state.created_at));
}

function updateRun(
  tx: Transaction,
  { run, state, updates, event }: ChangeOf<'update'>,
  { by }: SyncOptions,
): Run {
  const source = pathsOf(updates) || state.source?.path;
  const details =
    event === 'merged'
      ? { phase: state.phase }
      : { reason: state.status_reason };
  return tx.write(run, state, { event, by, source, ...details });
}

function endRun(
  tx: Transaction,
  { run, state, as }: ChangeOf<'end'>,
  { by }: SyncOptions,
): Run {
  const reason = state.status_reason;
  // The reason of any other end names the source already.
  const event: NewEvent =
    as === 'completed'
      ? { event: 'archived', by, source: run.state.source?.path, reason }
      : { event: 'archived', by, reason };
  return tx.end(run, state, event, { purge: false });
}

/** The session that holds the run is told once, at its next start, prompt or command. */
function tellHolder(tx: Transaction, change: SyncChange, now: Date): void {
  if (change.kind === 'create' || change.message === null) return;
  const { run, message: text } = change;
  const holder = holderOf(run.state);
  if (holder === null) return;
  const at = now.getTime();
  const message =
    change.kind === 'end' ? { at, text, taken: run.runId } : { at, text };
  tx.saveHookState(addMessage(tx.hookState, holder, message));
}

function pathsOf(updates: readonly SourceUpdate[]): string {
  return updates.map(({ path }) => path).join(', ');
}
