import { resolveSession, holderOf } from '../sessions/holder.ts';
import type { JournalEvent } from '../state/journal.ts';
import { isActive } from '../sessions/select-run.ts';
import type { Transaction } from '../state/store/store.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import type { ContextCommand } from '../workflow/machine/machine-state.ts';
import { takeContextAction } from '../workflow/template-run.ts';
import { contextActionOf } from '../workflow/run-view.ts';
import type { OperationContext } from './context.ts';
import { endRun } from './end-run.ts';

export interface Delivery {
  run: StoredRun;
  /** What the user is to type first; null where nothing was due. */
  action: ContextCommand | null;
}

/** An action that is due is marked as asked for in the same write: nobody is given it a second time. */
export function deliverContextAction(
  desk: OperationContext,
  tx: Transaction,
  run: StoredRun,
): Delivery {
  const { state, action } = takeContextAction(run.state, desk.now.toISOString());
  return { run: action === null ? run : tx.write(run, state), action };
}

/** Saves a run that was moved, with the action that is due there; one that has nothing left to do is ended. */
export function saveProgress(
  desk: OperationContext,
  tx: Transaction,
  run: StoredRun,
  moved: RunState,
  event: JournalEvent,
): Delivery {
  if (moved.status === 'completed') {
    return { run: endRun(desk, tx, run, moved, event, false), action: null };
  }
  const { state, action } = takeContextAction(moved, desk.now.toISOString());
  return { run: tx.write(run, state, event), action };
}

/** A look by the session that holds the run delivers what is due; a look from outside never changes anything. */
export function viewRun(
  desk: OperationContext,
  run: StoredRun,
  runs: readonly StoredRun[],
): Delivery {
  const session = desk.session === null ? null : resolveSession(desk.session, runs);
  if (session === null || !isDueFor(session, run)) return { run, action: null };
  return desk.store.transaction((tx) => {
    const now = tx.reread(run);
    if (now === undefined) return { run, action: null };
    return isDueFor(session, now)
      ? deliverContextAction(desk, tx, now)
      : { run: now, action: null };
  });
}

function isDueFor(session: string, run: StoredRun): boolean {
  return (
    holderOf(run.state) === session && isActive(run) && contextActionOf(run.state)?.state === 'due'
  );
}
