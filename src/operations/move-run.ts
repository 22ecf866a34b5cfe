import { loadedDetails } from '../sessions/context-record.ts';
import { isActive } from '../sessions/select-run.ts';
import type { NewEvent } from '../state/journal.ts';
import type { Transaction } from '../state/store/store.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import type { ContextCommand } from '../templates/machine/machine-state.ts';
import { contextActionOf, passedBySteps } from '../templates/run-view.ts';
import { takeContextAction } from '../templates/template-run.ts';
import { endRun } from './end-run.ts';
import { callerSession } from './target-run.ts';
import { holderOf } from '../sessions/holder.ts';
import type { OperationContext } from './open-project.ts';

export interface Delivery {
  run: StoredRun;
  /** What the user has to type before the run goes on; null if nothing is due. */
  action: ContextCommand | null;
}

/** Saves a run that was moved and requests the context action due there. A run with nothing left to do is ended. */
export function saveProgress(
  context: OperationContext,
  tx: Transaction,
  run: StoredRun,
  moved: RunState,
  event: NewEvent,
): Delivery {
  const recorded = moveDetails(run.state, moved, event);
  if (moved.status === 'completed') {
    return { run: endRun(context, tx, run, moved, recorded, false), action: null };
  }
  const { state, action } = takeContextAction(moved, context.now.toISOString());
  return { run: tx.write(run, state, recorded), action };
}

/** For a person at a terminal: a context action stays due, because only the session that works on the run needs it. */
export function saveUndelivered(
  context: OperationContext,
  tx: Transaction,
  run: StoredRun,
  moved: RunState,
  event: NewEvent,
): StoredRun {
  const recorded = moveDetails(run.state, moved, event);
  return moved.status === 'completed'
    ? endRun(context, tx, run, moved, recorded, false)
    : tx.write(run, moved, recorded);
}

function moveDetails(before: RunState, after: RunState, event: NewEvent): NewEvent {
  return { ...event, ...passedByDetails(before, after), ...loadedDetails(before, after) };
}

/** For the journal: the steps that this move passed by, because their conditions were false. */
export function passedByDetails(
  before: RunState | null,
  after: RunState,
): { passed_by?: string[] } {
  const known = new Set((before === null ? [] : passedBySteps(before)).map(({ id }) => id));
  const passed = passedBySteps(after).filter(({ id }) => !known.has(id));
  return passed.length === 0 ? {} : { passed_by: passed.map(({ id }) => id) };
}

/** Marks a due context action as requested in the same write, so that it is asked for only once. */
export function deliverContextAction(
  context: OperationContext,
  tx: Transaction,
  run: StoredRun,
): Delivery {
  const { state, action } = takeContextAction(run.state, context.now.toISOString());
  return { run: action === null ? run : tx.write(run, state), action };
}

/** Showing a run to its holder requests the context action that is due; for anyone else nothing changes. */
export function viewRun(
  context: OperationContext,
  run: StoredRun,
  runs: readonly StoredRun[],
): Delivery {
  const session = callerSession(context, runs);
  if (session === null || !isDueFor(session, run)) return { run, action: null };
  return context.store.transaction((tx) => {
    const current = tx.reread(run);
    if (current === undefined) return { run, action: null };
    return isDueFor(session, current)
      ? deliverContextAction(context, tx, current)
      : { run: current, action: null };
  });
}

function isDueFor(session: string, run: StoredRun): boolean {
  return (
    holderOf(run.state) === session && isActive(run) && contextActionOf(run.state)?.state === 'due'
  );
}
