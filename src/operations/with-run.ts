import { HoldfastError } from '../errors/holdfast-error.ts';
import { timeAgo } from '../util/relative-time.ts';
import { sessionRecord, type LivenessContext } from '../sessions/holder.ts';
import { byRecency, findRun, selectRun, type Selection } from '../sessions/select-run.ts';
import type { Transaction } from '../state/store/store.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import type { JournalEvent } from '../state/journal.ts';
import type { OperationContext } from './context.ts';

/** The run that is named, or the one that is meant; refused where that is not clear. */
function requireRun(
  runs: readonly StoredRun[],
  name: string | undefined,
  asking: LivenessContext & { session: string | null },
): StoredRun {
  if (name !== undefined) return namedRun(runs, name);
  const selection = selectRun(runs, { ...asking, purpose: 'write' });
  if (selection.kind === 'run') return selection.run;
  throw noSingleRunError(selection);
}

/** Why none is meant, or no single one. */
export function noSingleRunError(selection: Exclude<Selection, { kind: 'run' }>): HoldfastError {
  if (selection.kind === 'ambiguous') {
    return new HoldfastError({ code: 'ambiguous_run', name: null, runs: idsOf(selection.runs) });
  }
  const { heldByOthers, inactive } = selection;
  return heldByOthers.length > 0
    ? new HoldfastError({ code: 'all_held', runs: idsOf(heldByOthers) })
    : new HoldfastError({
        code: 'no_workflow',
        also: inactive.map(({ runId, state }) => `${runId} (${state.status})`),
      });
}

export function namedRun(runs: readonly StoredRun[], name: string): StoredRun {
  const found = findRun(runs, name);
  if (found.kind === 'run') return found.run;
  throw found.kind === 'ambiguous'
    ? new HoldfastError({ code: 'ambiguous_run', name, runs: idsOf(found.runs) })
    : new HoldfastError({
        code: 'unknown_run',
        name,
        near: idsOf(found.near),
        all: idsOf(byRecency(runs)),
      });
}

/** The run as it is now, for a look before something that takes its time. */
export function findTargetRun(desk: OperationContext, name: string | undefined): StoredRun {
  return requireRun(desk.store.list().runs, name, desk);
}

/** Changes one run under the lock and journals it. */
export function changeRun(
  desk: OperationContext,
  name: string | undefined,
  change: (run: StoredRun, tx: Transaction) => { state: RunState; event: JournalEvent },
): StoredRun {
  return withRun(desk, name, (run, tx) => {
    const { state, event } = change(run, tx);
    return tx.write(run, state, withActor(desk, event));
  });
}

/** Works on one run under the lock. Where it is not clear which, nothing is locked and nothing made. */
export function withRun<T>(
  desk: OperationContext,
  name: string | undefined,
  work: (run: StoredRun, tx: Transaction) => T,
): T {
  findTargetRun(desk, name);
  return withLockedRun(desk, name, work);
}

/** The same for a run that was looked at before, so that it is clear which is meant. */
export function withLockedRun<T>(
  desk: OperationContext,
  name: string | undefined,
  work: (run: StoredRun, tx: Transaction) => T,
): T {
  return desk.store.transaction((tx) => {
    reportSetAside(desk, tx);
    return work(requireRun(tx.runs, name, desk), tx);
  });
}

export function withActor(desk: OperationContext, event: JournalEvent): JournalEvent {
  return { ...event, by: desk.by, ...(desk.session === null ? {} : { session_id: desk.session }) };
}

export function reportSetAside(desk: OperationContext, tx: Transaction): void {
  for (const { path, why } of tx.setAside) {
    desk.warn(
      `${path} could not be read (${why}); it was moved aside as ${path}.corrupt-… and is kept`,
    );
  }
}

export function requireActive(run: StoredRun, command: string): void {
  const status = run.state.status ?? 'in_progress';
  if (status !== 'in_progress') {
    throw new HoldfastError({ code: 'not_active', run: run.runId, status, command });
  }
}

export function heldByOther(
  run: StoredRun,
  holder: string,
  verb: 'claim' | 'release',
  now: Date,
): HoldfastError {
  const record = sessionRecord(run.state, holder);
  const seen = timeAgo(record?.last_seen_at ?? record?.started_at ?? '', now);
  return new HoldfastError({ code: 'held_by_other', run: run.runId, session: holder, seen, verb });
}

function idsOf(runs: readonly StoredRun[]): string[] {
  return runs.map((run) => run.runId);
}
