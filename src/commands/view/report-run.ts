import { holderOf } from '../../sessions/holder.ts';
import { drivenClient } from '../../sessions/client-process.ts';
import { isActive } from '../../sessions/select-run.ts';
import { isArchived } from '../../state/paths.ts';
import { phaseLabel } from '../../state/phases.ts';
import type { StoredRun } from '../../state/types.ts';
import { sanitizeLine, sanitizeLinesWithFeedback } from '../../text/sanitize.ts';
import { requestElsewhereText, requestText } from '../../guidance/context-action-text.ts';
import type { ContextCommand } from '../../templates/machine/machine-state.ts';
import { callerSession } from '../../operations/target-run.ts';
import type { ReadingEntry } from '../../guidance/reading/reading-list.ts';
import type { TransitionArtifacts } from '../../operations/artifacts-at-move.ts';
import { mustEndTurn } from '../../operations/requested-advance.ts';
import type { Delivery } from '../../operations/move-run.ts';
import type { CommandContext } from './output.ts';
import type { Shown } from '../command.ts';
import { nextCommand } from './next-command.ts';
import { agentLine } from './step-text.ts';
import { earlyText, statusReport, type StatusReport } from './status-report.ts';

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
    ...(isMove ? [`Now: ${positionText(run, report)}.`] : []),
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
  { run, action, artifacts }: Delivery & { artifacts: TransitionArtifacts },
  { done, isMove }: { done: string; isMove: boolean },
): Shown {
  return run.state.status === 'completed'
    ? showEnd(cli, run, done)
    : showChange(cli, run, {
        done,
        isMove,
        action,
        details: [artifacts.text],
        data: { artifacts: artifacts.due },
      });
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
  }
}

/** A session that has ended another run than its own goes on with that one; `start` would be refused. */
function afterEnd(cli: CommandContext): string {
  const { runs } = cli.store.list();
  const session = callerSession(cli, runs);
  const own = runs.find((run) => isActive(run) && holderOf(run.state) === session);
  return session === null || own === undefined
    ? 'holdfast start "<name>" --phases "<A,B,C>"'
    : `holdfast status ${own.runId}, which this session works on`;
}

function positionText({ state }: StoredRun, { step }: StatusReport): string {
  return sanitizeLine(step?.progress.text ?? `phase ${phaseLabel(state.phase)}`);
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
