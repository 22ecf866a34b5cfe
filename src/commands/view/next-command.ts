import { END_TURN } from '../../guidance/context-action-text.ts';
import { openItemsText, openItemsOf } from '../../operations/open-items.ts';
import { findDetectedRuns } from '../../operations/detected-run.ts';
import { mustEndTurn } from '../../operations/requested-advance.ts';
import { isHolder } from '../../operations/target-run.ts';
import { isArchived } from '../../state/paths.ts';
import { isCounted, nextPhase, skippedPhases } from '../../state/phases.ts';
import type { RunState, StoredRun } from '../../state/types.ts';
import { isHeldByLiveSession } from '../../sessions/holder.ts';
import { ownRun } from '../../sessions/choose-run.ts';
import { isActive } from '../../sessions/select-run.ts';
import { pluralize } from '../../text/relative-time.ts';
import type { ContextCommand } from '../../templates/machine/machine-state.ts';
import { isOutOfPivots } from '../../templates/machine/pivot-count.ts';
import type { Status } from '../../templates/machine/status.ts';
import { isSkippable, waitOf } from '../../templates/run-view.ts';
import type { CommandContext } from './output.ts';

/** What to type next for a run; every command ends with it. */
export function nextCommand(
  cli: CommandContext,
  run: StoredRun,
  step: Status | null,
  action: ContextCommand | null,
): string {
  const { status, phase } = run.state;
  if (isArchived(run)) return `holdfast reopen ${run.runId} (brings it back from the archive)`;
  if (status === 'paused' || status === 'failed') return `holdfast resume ${run.runId}`;
  if (mustEndTurn(cli.environment, run)) return END_TURN;
  if (status === 'completed') return `holdfast complete ${run.runId}`;
  const { runs } = cli.store.list();
  if (isOfOthers(cli, run, runs)) return takeFirst(cli, run);
  const named = nameIfAmbiguous(cli, run, runs);
  if (phase.status === 'blocked') return blockedCommand(run.state, step, named);
  if (action !== null) return actionCommand(cli, run, action, named);
  if (step !== null) return stepCommand(run.state, step, named);
  if (!isCounted(phase))
    return `holdfast advance${named} --name "<next phase>", or holdfast complete${named} once all is done`;
  const left = phase.total - phase.current - skippedAhead(run.state);
  const open = nextPhase(run.state) === null ? openItemsOf(cli, run) : null;
  if (open !== null)
    return `tick off what is done of the ${openItemsText(open)}, then holdfast advance${named} (it completes the run)`;
  return nextPhase(run.state) === null
    ? `holdfast advance${named} (this is the last phase: it completes the run)`
    : `holdfast advance${named} (${pluralize(left, 'phase')} to go after this one)`;
}

/** A terminal has neither command: it is typed in the session that works on the run. */
function actionCommand(
  cli: CommandContext,
  run: StoredRun,
  action: ContextCommand,
  named: string,
): string {
  if (cli.session !== null) return `${action}, then holdfast status${named}`;
  return isHeldByLiveSession(run, cli)
    ? `type ${action} in the Claude Code session that works on it`
    : `in a Claude Code session, holdfast resume ${run.runId}, then type ${action}`;
}

/** Whether a command of this session that names no run does not mean this one. */
function isOfOthers(
  cli: CommandContext,
  { runId }: StoredRun,
  runs: readonly StoredRun[],
): boolean {
  return cli.session !== null && ownRun(runs, cli.session, cli)?.runId !== runId;
}

/** What a session does that would have to take the run first. */
function takeFirst(cli: CommandContext, run: StoredRun): string {
  return isHeldByLiveSession(run, cli)
    ? `nothing here: another session works on it, until a person types /holdfast:release there`
    : `holdfast resume ${run.runId}`;
}

/** A step that waits for the user or for tasks refuses to be advanced, blocked or not. */
function blockedCommand(state: RunState, step: Status | null, named: string): string {
  const wait = waitOf(state)?.for;
  if (step !== null && (wait === 'approval' || wait === 'tasks'))
    return stepCommand(state, step, named);
  const leave = isSkippable(state)
    ? `or leave it: holdfast skip${named} --reason "<why>"`
    : `or report why it cannot be done: holdfast fail${named} --reason "<why>"`;
  return `resolve the blocker, then holdfast advance${named}; ${leave}`;
}

function stepCommand(state: RunState, { stepType, task, step }: Status, named: string): string {
  if (stepType === 'approval' && isOutOfPivots(state))
    return `the user decides: holdfast approve${named}, or end the run: holdfast complete${named}`;
  if (stepType === 'approval')
    return `the user decides: holdfast approve${named}, or holdfast reject${named} --feedback "<what has to change>"`;
  return stepType === 'loop' && task === undefined
    ? `holdfast tasks ${step}${named === '' ? '' : ` --run${named}`} --file <file with the tasks>`
    : `holdfast advance${named} --output "<what the next steps need to know>"`;
}

function skippedAhead(state: RunState): number {
  return skippedPhases(state).filter((entry) => entry.phase > state.phase.current).length;
}

/** The run's id as an argument, if the command could mean another run without it. */
export function nameIfAmbiguous(
  cli: CommandContext,
  run: StoredRun,
  runs: readonly StoredRun[],
): string {
  const isAlone = runs.every((other) => other.runId === run.runId || !isActive(other));
  const isOwn = cli.session !== null && isHolder(cli, run);
  return isAlone && (isOwn || findDetectedRuns(cli, runs).length === 0) ? '' : ` ${run.runId}`;
}
