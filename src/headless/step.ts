import { requestedAdvance, type RequestedAdvance } from '../runs/advance.ts';
import { holderOf } from '../sessions/holder.ts';
import { failureOf } from '../state/phases.ts';
import { listArchive } from '../state/store/list-runs.ts';
import type { StoredRun } from '../state/types.ts';
import { DEFAULT_RETRIES } from '../templates/machine/machine-state.ts';
import { positionKey, type NextAction } from '../templates/next.ts';
import { isAtPivotLimit, maxPivots } from '../templates/machine/pivot.ts';
import {
  phaseStates,
  type PhaseState,
  inspectRun,
  type TemplateRun,
} from '../templates/run-view.ts';
import { pluralize } from '../text/relative-time.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { shellQuote } from '../text/shell-commands.ts';
import type { DriveContext } from './context.ts';
import { oneLine, type Stop } from './stop.ts';

/** Where a run stands, as the driver sees it. */
export interface StepAt extends TemplateRun {
  runId: string;
  /** Identifies this entry into the step, task, sub-step or iteration; retries belong to the same one. */
  entry: string;
  /** Of all steps, in their order. */
  states: PhaseState[];
  /** Counts from 1; more after a failure that is retried. */
  attempt: number;
  /** The run is complete, failed or ended. */
  isOver: boolean;
  /** Null if it is over. */
  position: string | null;
  /** The move that the agent has asked the driver for. */
  request: RequestedAdvance | null;
}

/** The run as it is on disk. */
export interface RunNow {
  run: StoredRun | null;
  /** Null if it has no template that can be read. */
  at: StepAt | null;
  /** Why it cannot be driven on: it was ended, deleted or taken. Null also if it has failed or was finished step by step. */
  loss: Stop | null;
}

/** `session`: the one that the driver has given the run to; null before the first one. */
export function runNow(
  context: Pick<DriveContext, 'open' | 'runId' | 'path'>,
  session: string | null,
): RunNow {
  const { store } = context.open(null);
  const isMeant = ({ runId }: StoredRun): boolean => runId === context.runId;
  const run = store.list().runs.find(isMeant) ?? listArchive(store.root).runs.find(isMeant) ?? null;
  if (run === null) {
    const message = 'the state file of the run is gone';
    const advice = `bring back ${context.path} from a copy, or start another run with \`holdfast run --template <template>\``;
    return { run, at: null, loss: { reason: 'gone', message, advice } };
  }
  const at = stepAt(run);
  return { run, at, loss: lossOf(run, at, session) };
}

function stepAt(run: StoredRun): StepAt | null {
  const { runId } = run;
  const parsed = inspectRun(run.state);
  if (parsed.kind !== 'template') return null;
  const { state, template, machine } = parsed;
  const { retries = 0, ...entry } = machine;
  const stateOf = phaseStates(state);
  const isOver =
    machine.status !== 'running' || ['completed', 'cancelled'].includes(state.status ?? '');
  return {
    ...parsed,
    runId,
    entry: positionKey(runId, entry),
    states: template.steps.map((_, index) => stateOf(index + 1)),
    attempt: retries + 1,
    isOver,
    position: isOver ? null : positionKey(runId, machine),
    request: requestedAdvance(run),
  };
}

function lossOf(
  { runId, state }: StoredRun,
  at: StepAt | null,
  session: string | null,
): Stop | null {
  const { status, status_reason: why = '' } = state;
  const advice = `\`holdfast reopen ${runId}\` brings it back`;
  if (status === 'cancelled')
    return { reason: 'cancelled', message: withReason('the run was cancelled', why), advice };
  if (at === null) return null;
  if (status === 'completed' && at.machine.status !== 'complete') {
    const message = `the run was ended at ${sanitizeLine(at.status.progress.text)}`;
    return { reason: 'ended', message, advice };
  }
  const holder = holderOf(state);
  if (holder === null || session === null || at.isOver || holder === session) return null;
  const name = sanitizeLine(holder);
  return {
    reason: 'taken',
    message: `the session ${name} has taken the run`,
    advice: `wait until ${name} has ended, or let go of it with \`holdfast release ${runId}\``,
  };
}

function withReason(message: string, why: string): string {
  return why === '' ? message : `${message}: ${oneLine(why)}`;
}

/** Why a run goes no further by itself, and what to do about it. */
export function stopAt(reason: NonNullable<NextAction['stop']>, at: StepAt): Stop {
  const { state, runId, template, machine, place } = at;
  const resume = `\`holdfast resume ${runId}\``;
  const statusSays = `\`holdfast status ${runId}\` says`;
  switch (reason) {
    case 'done':
      return { reason, message: 'the run is complete', hint: '' };
    case 'blocked':
      return { reason, message: 'the run is blocked', hint: `${statusSays} why` };
    case 'paused':
      return { reason, message: 'the run was paused', advice: `${resume} lets it go on` };
    case 'failed': {
      const message = withReason('the run has failed', state.status_reason ?? '');
      return { reason, message, advice: `correct the cause; ${resume} lets it go on at this step` };
    }
    case 'tasks': {
      const loop = place?.kind === 'waiting' ? place.loop.key : machine.step;
      return {
        reason,
        message: `the loop ${sanitizeLine(loop)} waits for its tasks`,
        advice: `\`holdfast tasks ${shellQuote(loop)} --run ${runId} --file -\` reads them, one a line, until Ctrl-D`,
      };
    }
    case 'approval': {
      const approve = `\`holdfast approve ${runId}\``;
      return {
        reason,
        message: 'the run waits for your approval',
        advice: isAtPivotLimit(template, machine)
          ? `it was sent back as often as its template allows: \`holdfast complete ${runId}\` ends it, or ${approve}`
          : `${approve} or \`holdfast reject ${runId} --feedback "…"\``,
      };
    }
    case 'limit':
      return limitAt(at);
    default:
      return { reason, message: 'the run waits', hint: `${statusSays} for what` };
  }
}

function limitAt({ state, runId, template, machine, status }: StepAt): Stop {
  const step = sanitizeLine(status.progress.text.replace(/, failed$/, ''));
  if (machine.status !== 'failed')
    return {
      reason: 'limit',
      message: `the run has used up its ${pluralize(maxPivots(template), 'pivot')}, and ${step} wants another one`,
      advice: `\`holdfast history ${runId}\` has the feedback; \`holdfast update ${runId} --status in_progress\` lets the run go on at this step`,
    };
  const allowed = template.max_retries ?? DEFAULT_RETRIES;
  const message = `${step} has used up its ${allowed} ${allowed === 1 ? 'retry' : 'retries'}`;
  return {
    reason: 'limit',
    message: withReason(message, failureOf(state)?.reason ?? state.status_reason ?? ''),
    advice: `correct the cause; \`holdfast resume ${runId}\` gives the step new retries`,
  };
}
