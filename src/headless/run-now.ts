import {
  requestedAdvance,
  type RequestedAdvance,
} from '../runs/requested-advance.ts';
import { holderOf } from '../sessions/holder.ts';
import type { Project } from '../sessions/open-project.ts';
import { failureOf } from '../state/failure.ts';
import { listArchive } from '../state/store/run-files.ts';
import type { Run, TemplateRun } from '../state/types.ts';
import { DEFAULT_RETRIES } from '../machine/machine-state.ts';
import { positionKey, type StopReason } from '../templates/next.ts';
import { isAtPivotLimit, maxPivots } from '../machine/send-back.ts';
import { phaseStates, type PhaseState } from '../state/progress.ts';
import { waitIdOf } from '../templates/waits.ts';
import { pluralize } from '../text/relative-time.ts';
import { asWord } from '../text/sanitize.ts';
import { proposedWord } from '../text/shell-commands.ts';
import { unreachable } from '../text/unreachable.ts';
import type { DriveContext } from './setup.ts';
import type { Stop } from './stop.ts';

export interface RunNow {
  /** Null if its file is gone. */
  run: Run | null;
  /** Null if it has no template that can be read. */
  at: StepAt | null;
  /** Why it cannot be driven on; null also if it has failed or was finished step by step. */
  loss: Stop | null;
}

/** The run as it is on disk. `session`: the one that the driver has given it to; null before the first one. */
export function runNow(
  { open, runId, path }: Pick<DriveContext, 'open' | 'runId' | 'path'>,
  session: string | null,
): RunNow {
  const run = readRun(open(null), runId);
  if (run === null) return { run, at: null, loss: goneStop(path) };
  const at = stepAt(run);
  return { run, at, loss: lossOf(run, at, session) };
}

/** The agent may have ended the run with its last step, so it is looked for in the archive as well. */
function readRun({ store }: Project, runId: string): Run | null {
  const isMeant = (run: Run): boolean => run.runId === runId;
  const active = store.list().runs.find(isMeant);
  return active ?? listArchive(store.root).runs.find(isMeant) ?? null;
}

/** Where a run stands, as the driver sees it. */
export type StepAt = TemplateRun & {
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
  /** What waits for a person's answer. */
  wait: string | null;
};

function stepAt(run: Run): StepAt | null {
  if (run.kind !== 'template') return null;
  const { runId, state, template, machine } = run;
  const { retries = 0, ...withoutRetries } = machine;
  const stateOf = phaseStates(run);
  const wasEnded = state.status === 'completed' || state.status === 'cancelled';
  const isOver = wasEnded || machine.status !== 'running';
  return {
    ...run,
    entry: positionKey(runId, withoutRetries),
    states: template.steps.map((_, index) => stateOf(index + 1)),
    attempt: retries + 1,
    isOver,
    position: isOver ? null : positionKey(runId, machine),
    request: requestedAdvance(run),
    wait: waitIdOf(run),
  };
}

function goneStop(path: string): Stop {
  return {
    reason: 'gone',
    message: 'the state file of the run is gone',
    advice: `bring back ${asWord(path)} from a copy, or start another run with \`holdfast run --template <template>\``,
  };
}

/** Null as long as the run was neither ended nor taken. */
function lossOf(
  { runId, state }: Run,
  at: StepAt | null,
  session: string | null,
): Stop | null {
  const reopen = `\`holdfast reopen ${runId}\` brings it back`;
  if (state.status === 'cancelled')
    return {
      reason: 'cancelled',
      message: withReason('the run was cancelled', state.status_reason),
      advice: reopen,
    };
  if (at === null) return null;
  if (state.status === 'completed' && at.machine.status !== 'complete')
    return {
      reason: 'ended',
      message: `the run was ended at ${at.status.progress.text}`,
      advice: reopen,
    };
  return at.isOver ? null : takenStop(runId, holderOf(state), session);
}

/**
 * The stop if another session than the driver's holds the run. Null if it is free or the driver's own, and as long as the
 * driver has not given it to a session yet: then `driversSession` is null.
 */
function takenStop(
  runId: string,
  holder: string | null,
  driversSession: string | null,
): Stop | null {
  if (holder === null || driversSession === null) return null;
  if (holder === driversSession) return null;
  const name = asWord(holder);
  return {
    reason: 'taken',
    message: `the session ${name} has taken the run`,
    advice: `wait until ${name} has ended, or let go of it with \`holdfast release ${runId}\``,
  };
}

const MAX_REASON_CHARS = 300;

function withReason(message: string, reason = ''): string {
  return reason === ''
    ? message
    : `${message}: ${asWord(reason, MAX_REASON_CHARS)}`;
}

/** Why a run goes no further by itself, and what to do about it. */
export function stopAt(reason: StopReason, at: StepAt): Stop {
  const { state, runId, machine, place } = at;
  const resume = `\`holdfast resume ${runId}\``;
  const statusSays = `\`holdfast status ${runId}\` says`;
  switch (reason) {
    case 'done':
      return { reason, message: 'the run is complete', hint: '' };
    case 'blocked':
      return {
        reason,
        message: 'the run is blocked',
        hint: `${statusSays} why`,
      };
    case 'waiting':
      return {
        reason,
        message: 'the run waits for your word before this step',
        advice: `${resume} begins the step`,
      };
    case 'paused':
      return {
        reason,
        message: 'the run was paused',
        advice: `${resume} lets it go on`,
      };
    case 'failed':
      return {
        reason,
        message: withReason('the run has failed', state.status_reason),
        advice: `correct the cause; ${resume} lets it go on at this step`,
      };
    case 'tasks': {
      const loop = place?.kind === 'waiting' ? place.loop.key : machine.step;
      const shown = proposedWord(loop, '<loop>');
      return {
        reason,
        message: `the loop ${asWord(loop)} waits for its tasks`,
        advice: `\`holdfast tasks ${shown} --run ${runId} --file -\` reads them, one a line, until Ctrl-D`,
      };
    }
    case 'approval':
      return approvalStop(at);
    case 'limit':
      return limitStopAt(at);
    default:
      return unreachable(reason);
  }
}

function approvalStop({ runId, template, machine, wait }: StepAt): Stop {
  const approve = `\`holdfast approve ${runId}\``;
  const advice = isAtPivotLimit(template, machine)
    ? `it was sent back as often as its template allows: \`holdfast complete ${runId}\` ends it, or ${approve}`
    : `${approve} or \`holdfast reject ${runId} --feedback "…"\``;
  const stop: Stop = {
    reason: 'approval',
    message: 'the run waits for your approval',
    advice,
  };
  return wait === null ? stop : { ...stop, wait };
}

/** The retries of a step are used up, or the pivots of the run. */
function limitStopAt(at: StepAt): Stop {
  const { state, runId, template, machine, status } = at;
  const step = status.progress.text.replace(/, failed$/, '');
  if (machine.status !== 'failed') {
    const pivots = pluralize(maxPivots(template), 'pivot');
    return {
      reason: 'limit',
      message: `the run has used up its ${pivots}, and ${step} wants another one`,
      advice: `\`holdfast history ${runId}\` has the feedback; \`holdfast update ${runId} --status in_progress\` lets the run go on at this step`,
    };
  }
  const allowed = template.max_retries ?? DEFAULT_RETRIES;
  const retries = `${allowed} ${allowed === 1 ? 'retry' : 'retries'}`;
  return {
    reason: 'limit',
    message: withReason(
      `${step} has used up its ${retries}`,
      failureOf(state)?.reason ?? state.status_reason,
    ),
    advice: `correct the cause; \`holdfast resume ${runId}\` gives the step new retries`,
  };
}
