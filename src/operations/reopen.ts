import { HoldfastError } from '../errors/holdfast-error.ts';
import { withoutBusyHolder } from '../sessions/holder.ts';
import { withoutMove } from '../state/moved.ts';
import { unmarkSkipped } from '../state/phases.ts';
import type { Transaction } from '../state/store/store.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { machineOf, withMachine } from '../workflow/template-run.ts';
import { ambiguousRunError, findNamedRun, unknownRunError } from './named-run.ts';
import type { OperationContext } from './open-project.ts';
import { requireOutsideOwnGate } from './target-run.ts';
import { transact, withActor } from './with-run.ts';

/** Brings an archived run back to where it stood; the session that held it holds it again, unless it is busy. */
export function reopenRun(context: OperationContext, name: string): StoredRun {
  const archived = archivedRun(context, name);
  requireOutsideOwnGate(context, archived);
  return transact(context, (tx) => reopenIn(context, tx, archived));
}

export function reopenIn(
  context: OperationContext,
  tx: Transaction,
  { runId }: StoredRun,
): StoredRun {
  if (tx.runs.some((run) => run.runId === runId))
    throw new HoldfastError({ code: 'not_archived', run: runId });
  const event = withActor(context, { event: 'reopened' });
  const run = tx.restoreArchived(runId, event, (archived) =>
    withoutBusyHolder(reopened(archived), tx.runs),
  );
  if (run === undefined) throw new HoldfastError({ code: 'not_archived', run: runId });
  return run;
}

/** The archived run of that name. A run that is not archived is named in the refusal. */
function archivedRun(context: OperationContext, name: string): StoredRun {
  const archived = context.store.archive().runs;
  const found = findNamedRun(context, archived, name);
  if (found.kind === 'run') return found.run;
  if (found.kind === 'ambiguous') throw ambiguousRunError(name, found.runs);
  const stored = findNamedRun(context, context.store.list().runs, name);
  if (stored.kind === 'ambiguous') throw ambiguousRunError(name, stored.runs);
  throw stored.kind === 'run'
    ? new HoldfastError({ code: 'not_archived', run: stored.run.runId })
    : unknownRunError(context, name, found.near, archived, true);
}

/** The last phase or step is in progress again, also if it was skipped. */
function reopened(archived: RunState): RunState {
  const machine = machineOf(archived);
  machine?.reopen();
  const { status_reason: _reason, ...state } = withoutMove(
    machine === null ? archived : withMachine(archived, machine),
  );
  const { phase, skipped = {} } = state;
  const isOver = phase.status === 'completed' || Object.hasOwn(skipped, String(phase.current));
  return {
    ...unmarkSkipped(state, (n) => n !== phase.current),
    phase: { ...phase, status: isOver ? 'in_progress' : phase.status },
    status: 'in_progress',
    adopted: true,
  };
}
