import { transact, withActor } from '../runs/change-run.ts';
import { findNamedRun, requireOutsideOwnGate } from '../runs/which-run.ts';
import { unknownRunError } from '../runs/missing-run.ts';
import { holderOf, withoutBusyHolder } from '../sessions/holder.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import { isEnded, phaseLabel, unmarkSkipped } from '../state/phases.ts';
import { listArchive } from '../state/store/list-runs.ts';
import type { Transaction } from '../state/store/store.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { machineOf, withMachine } from '../templates/template-run.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { command } from './command.ts';
import { continuation, showChange } from './view/report-run.ts';

export const reopen = command({
  usage: 'reopen <run>',
  about: 'bring a run back from the archive',
  examples: ['holdfast reopen user-auth'],
  agent: 'asked',
  run: (context, { run: name }) => {
    const ended = endedRun(context, name);
    requireOutsideOwnGate(context, ended);
    return transact(context, (tx) => reopenIn(context, tx, ended));
  },
  show: (cli, run) =>
    showChange(cli, run, {
      done: `Reopened ${run.runId}, at phase ${sanitizeLine(phaseLabel(run.state.phase))}.`,
      ...(cli.session === null ? { next: continuation(cli, run) } : {}),
    }),
});

/** Brings a run that has ended back to where it stood. No other session holds it until one resumes it. */
export function reopenIn(
  context: OperationContext,
  tx: Transaction,
  { runId }: StoredRun,
): StoredRun {
  const event = withActor(context, { event: 'reopened' });
  const change = (state: RunState): RunState =>
    withoutBusyHolder(reopened(state, context.session), tx.runs);
  const stored = tx.runs.find((other) => other.runId === runId);
  if (stored !== undefined && isEnded(stored.state))
    return tx.write(stored, change(stored.state), event);
  if (stored !== undefined) throw notEnded(runId);
  const run = tx.restoreArchived(runId, event, change);
  if (run === undefined) throw notEnded(runId);
  return run;
}

/** The run of that name that has ended: in the archive, else as a state file. One that has not is named in the refusal. */
function endedRun(context: OperationContext, name: string): StoredRun {
  const archived = listArchive(context.store.root).runs;
  const found = findNamedRun(context, archived, name);
  if (found !== null) return found;
  const stored = findNamedRun(context, context.store.list().runs, name);
  if (stored === null) throw unknownRunError(context, name, archived, true);
  if (isEnded(stored.state)) return stored;
  throw notEnded(stored.runId);
}

function notEnded(runId: string): HoldfastError {
  return new HoldfastError('not_archived', `${runId} has not ended`, {
    hint: `\`holdfast status ${runId}\` shows where it stands`,
  });
}

/** The last phase or step is in progress again, also if it was skipped. The session that ended the run may still be live. */
function reopened(ended: RunState, session: string | null): RunState {
  const machine = machineOf(ended);
  machine?.reopen();
  const {
    status_reason: _reason,
    ended_early: _early,
    conflicts = [],
    ...state
  } = machine === null ? ended : withMachine(ended, machine);
  // Where the run stood on another machine counts no more.
  const open = conflicts.filter(({ field }) => !/^(?:status|status_reason|position)$/.test(field));
  const { phase, skipped = {}, sessions = {} } = state;
  const holder = holderOf(state) === session ? session : null;
  const isOver = phase.status === 'completed' || Object.hasOwn(skipped, String(phase.current));
  return {
    ...unmarkSkipped(state, (n) => n !== phase.current),
    phase: { ...phase, status: isOver ? 'in_progress' : phase.status },
    status: 'in_progress',
    adopted: true,
    ...(open.length > 0 && { conflicts: open }),
    sessions: { ...sessions, current_session_id: holder },
  };
}
