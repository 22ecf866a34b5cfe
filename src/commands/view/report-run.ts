import { END_TURN, requestElsewhereText, requestText } from '../../guidance/context-action-text.ts';
import type { ReadingEntry } from '../../guidance/reading/reading-list.ts';
import type { Moved } from '../../runs/move-run.ts';
import { ownRun } from '../../sessions/choose-run.ts';
import { drivenClient } from '../../sessions/client-process.ts';
import { holderOf, isHeldByLiveSession } from '../../sessions/holder.ts';
import { isHolder } from '../../sessions/open-project.ts';
import { isActive } from '../../sessions/select-run.ts';
import { findDetectedRuns, openItemsOf, openItemsText } from '../../sources/project-sources.ts';
import { isArchived } from '../../state/paths.ts';
import { isCounted, nextPhase, phaseLabel, skippedPhases } from '../../state/phases.ts';
import type { RunState, StoredRun } from '../../state/types.ts';
import type { ContextCommand } from '../../templates/machine/machine-state.ts';
import type { Status } from '../../templates/machine/status.ts';
import { isOutOfPivots, isSkippable, mustEndTurn, waitOf } from '../../templates/run-view.ts';
import { pluralize } from '../../text/relative-time.ts';
import { sanitizeLine, sanitizeLinesWithFeedback } from '../../text/sanitize.ts';
import type { Shown } from '../command.ts';
import type { CommandContext } from './output.ts';
import { type StatusReport, earlyText, statusReport } from './status-report.ts';
import { agentLine } from './step-text.ts';

/** For commands that a session would become the holder by. */
export const NO_SESSION = 'No session holds it: this terminal is not a Claude Code session.';

export interface Change {
  /** What the command did, in sentences. */
  done: string;
  /** Whether the run is now in another phase or step, which is then named. */
  isMove?: boolean;
  /** The context action that this call requests. */
  action?: ContextCommand | null;
  /** What the user or the session needs besides: files to read, contents of artifacts. */
  details?: readonly string[];
  /** What to type next, where that does not follow from where the run stands. */
  next?: string;
  /** Printed beside the run with --json. */
  data?: object;
}

/** What a command changed and what to type next; `status` has the full view. */
export function showChange(
  cli: CommandContext,
  run: StoredRun,
  { done, isMove = false, action = null, details = [], next, data = {} }: Change,
): Shown & { data: StatusReport } {
  const report = statusReport(cli, run, [], action);
  const lines = [
    done,
    ...(isMove
      ? [
          `Now: ${sanitizeLine(report.step?.progress.text ?? `phase ${phaseLabel(run.state.phase)}`)}.`,
        ]
      : []),
    ...((isMove || action !== null) && !mustEndTurn(cli.environment, run)
      ? instructionLines(cli, report, action)
      : []),
    ...report.warnings,
    `Next: ${next ?? nextCommand(cli, run, report.step, action)}`,
    ...details.filter((part) => part !== '').map((part) => `\n${part}`),
  ];
  return { data: { ...report, ...data }, text: lines.join('\n') };
}

/** A command that has moved a run, or ended it by that. */
export function showMove(
  cli: CommandContext,
  { run, action, artifacts }: Moved,
  { details = [], data = {}, ...change }: Change,
): Shown {
  if (run.state.status === 'completed') return showEnd(cli, run, change.done);
  return showChange(cli, run, {
    isMove: true,
    action,
    ...change,
    details: [...details, artifacts.text],
    data: { ...data, artifacts: artifacts.due },
  });
}

/** A sentence about a step that was left; for the last one it says so. */
export function leftText({ run }: Moved, text: string): string {
  return run.state.status === 'completed' ? `${text}, the last one.` : `${text}.`;
}

/** That the run has ended, and where its record is. */
export function showEnd(cli: CommandContext, run: StoredRun, done = ''): Shown {
  const archived = isArchived(run) ? run.path : null;
  const { status, status_reason: reason = '', workflow, ended_early: early } = run.state;
  const ended = `${sanitizeLine(workflow)} (${run.runId})`;
  const end =
    status === 'cancelled'
      ? `Cancelled ${ended}${reason === '' ? '.' : `: ${sanitizeLine(reason)}`}`
      : early === undefined
        ? `Completed ${ended}.`
        : `Ended ${ended} early at ${earlyText(early)}.`;
  const lines = [
    ...(done === '' ? [] : [done]),
    end,
    archived === null ? 'No record was kept.' : `Its record is in ${archived}.`,
    `Next: ${afterEnd(cli)}${archived === null ? '' : `; or holdfast reopen ${run.runId}`}`,
  ];
  return {
    data: { ...statusReport(cli, run, []), archived },
    text: lines.join('\n'),
  };
}

/** Of files that a command has just added to the required reading. */
export function warnAboutReading(cli: CommandContext, entries: readonly ReadingEntry[]): void {
  for (const { path, state } of entries) {
    if (state === 'missing') cli.output.warn(`${path} does not exist yet`);
    if (state === 'outside')
      cli.output.warn(`${path} is outside the project: it is listed, but never loaded`);
    if (state === 'denied')
      cli.output.warn(`a deny rule keeps ${path} from agents: it is listed, but never loaded`);
  }
}

/** A session that has ended another run than its own goes on with that one; `start` would be refused. */
function afterEnd(cli: CommandContext): string {
  const { runs } = cli.store.list();
  const { session } = cli;
  const own = runs.find((run) => isActive(run) && holderOf(run.state) === session);
  return session === null || own === undefined
    ? 'holdfast start "<name>" --phases "<A,B,C>"'
    : `holdfast status ${own.runId}, which this session works on`;
}

function instructionLines(
  { session, environment }: CommandContext,
  { step }: StatusReport,
  action: ContextCommand | null,
): string[] {
  if (action !== null)
    return [
      session === null
        ? requestElsewhereText(action)
        : `${requestText(action)} If no user is there, continue without it.`,
    ];
  if (step === null || step.instructions === '') return [];
  const agent = agentLine(step, drivenClient(environment)?.agent ?? null);
  const lines = sanitizeLinesWithFeedback(step.instructions);
  return [
    ...(agent === '' ? [] : [`Agent: ${agent}`]),
    ...(lines.length === 1
      ? [`Instructions: ${lines[0]}`]
      : ['Instructions:', ...lines.map((line) => `  ${line}`.trimEnd())]),
  ];
}

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
  // A command of this session that names no run does not mean this one: it would have to take the run first.
  if (cli.session !== null && ownRun(runs, cli.session, cli)?.runId !== run.runId)
    return isHeldByLiveSession(run, cli)
      ? 'nothing here: another session works on it, until a person types /holdfast:release there'
      : `holdfast resume ${run.runId}`;
  const named = nameIfAmbiguous(cli, run, runs);
  if (phase.status === 'blocked') return blockedCommand(run.state, step, named);
  if (action !== null) return actionCommand(cli, run, action, named);
  if (step !== null) return stepCommand(run.state, step, named);
  if (!isCounted(phase))
    return `holdfast advance${named} --name "<next phase>", or holdfast complete${named} once all is done`;
  const isAhead = (entry: { phase: number }): boolean => entry.phase > phase.current;
  const left = phase.total - phase.current - skippedPhases(run.state).filter(isAhead).length;
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
