import { requestedAdvance } from '../runs/requested-advance.ts';
import { holderOf } from '../sessions/holder.ts';
import { failureOf } from '../state/phases.ts';
import { listArchive } from '../state/store/run-files.ts';
import type { StoredRun } from '../state/types.ts';
import { DEFAULT_RETRIES } from '../machine/machine-state.ts';
import { positionKey, type StopReason } from '../templates/next.ts';
import { isAtPivotLimit, maxPivots } from '../machine/pivot.ts';
import { phaseStates } from '../state/progress.ts';
import { waitIdOf } from '../templates/waits.ts';
import { pluralize, formatDuration } from '../text/relative-time.ts';
import { asWord, sanitizeLine, truncate } from '../text/sanitize.ts';
import { proposedWord } from '../text/shell-commands.ts';
import type { DriveContext, RunOptions } from './setup.ts';
import type { Stopped } from './event-types.generated.ts';

/** The run as it is on disk. `session`: the one that the driver has given it to; null before the first one. */
export function runNow(
  context: Pick<DriveContext, 'open' | 'runId' | 'path'>,
  session: string | null,
) {
  const { store } = context.open(null);
  const isMeant = ({ runId }: StoredRun): boolean => runId === context.runId;
  const run =
    store.list().runs.find(isMeant) ??
    listArchive(store.root).runs.find(isMeant) ??
    null;
  const at = run === null ? null : stepAt(run);
  return {
    run,
    /** Null if it has no template that can be read. */
    at,
    /** Why it cannot be driven on; null also if it has failed or was finished step by step. */
    loss: run === null ? goneStop(context.path) : lossOf(run, at, session),
  };
}

/** Where a run stands, as the driver sees it. */
export type StepAt = NonNullable<ReturnType<typeof stepAt>>;

function stepAt(run: StoredRun) {
  if (run.kind !== 'template') return null;
  const { runId, state, template, machine } = run;
  const { retries = 0, ...entry } = machine;
  const stateOf = phaseStates(run);
  const isOver =
    machine.status !== 'running' ||
    ['completed', 'cancelled'].includes(state.status ?? '');
  return {
    ...run,
    /** Identifies this entry into the step, task, sub-step or iteration; retries belong to the same one. */
    entry: positionKey(runId, entry),
    /** Of all steps, in their order. */
    states: template.steps.map((_, index) => stateOf(index + 1)),
    attempt: retries + 1,
    isOver,
    position: isOver ? null : positionKey(runId, machine),
    /** The move that the agent has asked the driver for. */
    request: requestedAdvance(run),
    /** What waits for a person's answer. */
    wait: waitIdOf(run),
  };
}

function goneStop(path: string): Stop {
  const message = 'the state file of the run is gone';
  const advice = `bring back ${asWord(path)} from a copy, or start another run with \`holdfast run --template <template>\``;
  return { reason: 'gone', message, advice };
}

function lossOf(
  { runId, state }: StoredRun,
  at: StepAt | null,
  session: string | null,
): Stop | null {
  const { status, status_reason: why = '' } = state;
  const advice = `\`holdfast reopen ${runId}\` brings it back`;
  if (status === 'cancelled')
    return {
      reason: 'cancelled',
      message: withReason('the run was cancelled', why),
      advice,
    };
  if (at === null) return null;
  if (status === 'completed' && at.machine.status !== 'complete') {
    const message = `the run was ended at ${at.status.progress.text}`;
    return { reason: 'ended', message, advice };
  }
  const holder = holderOf(state);
  if (holder === null || session === null || at.isOver || holder === session)
    return null;
  const name = asWord(holder);
  return {
    reason: 'taken',
    message: `the session ${name} has taken the run`,
    advice: `wait until ${name} has ended, or let go of it with \`holdfast release ${runId}\``,
  };
}

const withReason = (message: string, why: string): string =>
  why === '' ? message : `${message}: ${asWord(why, MAX_WORDS)}`;

/** Why a run goes no further by itself, and what to do about it. */
export function stopAt(reason: StopReason, at: StepAt): Stop {
  const { state, runId, template, machine, place, wait } = at;
  const resume = `\`holdfast resume ${runId}\``;
  const statusSays = `\`holdfast status ${runId}\` says`;
  const approve = `\`holdfast approve ${runId}\``;
  const loop = place?.kind === 'waiting' ? place.loop.key : machine.step;
  const stops: Record<StopReason, Omit<Stop, 'reason'>> = {
    done: { message: 'the run is complete', hint: '' },
    blocked: { message: 'the run is blocked', hint: `${statusSays} why` },
    waiting: { message: 'the run waits', hint: `${statusSays} for what` },
    paused: {
      message: 'the run was paused',
      advice: `${resume} lets it go on`,
    },
    failed: {
      message: withReason('the run has failed', state.status_reason ?? ''),
      advice: `correct the cause; ${resume} lets it go on at this step`,
    },
    tasks: {
      message: `the loop ${asWord(loop)} waits for its tasks`,
      advice: `\`holdfast tasks ${proposedWord(loop, '<loop>')} --run ${runId} --file -\` reads them, one a line, until Ctrl-D`,
    },
    approval: {
      message: 'the run waits for your approval',
      advice: isAtPivotLimit(template, machine)
        ? `it was sent back as often as its template allows: \`holdfast complete ${runId}\` ends it, or ${approve}`
        : `${approve} or \`holdfast reject ${runId} --feedback "…"\``,
      ...(wait === null ? {} : { wait }),
    },
    limit: limitAt(at),
  };
  return { reason, ...stops[reason] };
}

function limitAt({
  state,
  runId,
  template,
  machine,
  status,
}: StepAt): Omit<Stop, 'reason'> {
  const step = status.progress.text.replace(/, failed$/, '');
  if (machine.status !== 'failed')
    return {
      message: `the run has used up its ${pluralize(maxPivots(template), 'pivot')}, and ${step} wants another one`,
      advice: `\`holdfast history ${runId}\` has the feedback; \`holdfast update ${runId} --status in_progress\` lets the run go on at this step`,
    };
  const allowed = template.max_retries ?? DEFAULT_RETRIES;
  const message = `${step} has used up its ${allowed} ${allowed === 1 ? 'retry' : 'retries'}`;
  return {
    message: withReason(
      message,
      failureOf(state)?.reason ?? state.status_reason ?? '',
    ),
    advice: `correct the cause; \`holdfast resume ${runId}\` gives the step new retries`,
  };
}

/** Why the driver stops: the reason for programs, the rest for people. */
export interface Stop {
  reason: Stopped['reason'];
  message: string;
  advice?: string;
  /** In place of the advice and of the command that continues the run. */
  hint?: string;
  /** What waits for a person's answer. */
  wait?: string;
}

/** 1 for the others. */
export const EXIT_CODES: Partial<Record<Stopped['reason'], number>> = {
  done: 0,
  step: 0,
  approval: 3,
  tasks: 3,
  budget: 4,
  time: 4,
  step_time: 4,
  interrupted: 130,
};

export const INTERRUPTED: Stop = {
  reason: 'interrupted',
  message: 'interrupted; the step is not finished',
};

export function limitStop(
  reason: 'budget' | 'time' | 'step_time',
  { maxCost = 0, maxTime = 0, stepTime = 0 }: Partial<RunOptions>,
): Stop {
  if (reason === 'budget')
    return { reason, message: `the budget of $${maxCost} is used up` };
  if (reason === 'time')
    return {
      reason,
      message: `the time of ${formatDuration(maxTime)} is used up`,
    };
  const message = `the step took longer than ${formatDuration(stepTime)} and was interrupted`;
  return { reason, message, advice: 'give it more time with --step-time' };
}

const MAX_WORDS = 300;

/** Words of others in a message: one line, and not a long one. */
export const oneLine = (text: string): string =>
  truncate(sanitizeLine(text), MAX_WORDS);

export function clientStop(words: string): Stop {
  const advice =
    'look at the end of the log, and whether `claude` starts by itself';
  return { reason: 'client', message: oneLine(words), advice };
}

/** `tries` counts the requests in a row that have failed; the client's own words say the rest. */
export function apiStop(
  status: number | null,
  words: string,
  tries: number,
): Stop {
  const [what, advice] = apiTrouble(status);
  const often = tries > 1 ? `, ${tries} times in a row` : '';
  const message = `${what}${often}${words === '' ? '' : `: ${oneLine(words)}`}`;
  return { reason: 'api', message, advice };
}

function apiTrouble(status: number | null): [what: string, advice: string] {
  if (status === null)
    return [
      'the API cannot be reached',
      'check your network and proxy, and ANTHROPIC_BASE_URL if it is set',
    ];
  if (status === 404)
    return [
      'the model does not exist, or your account may not use it',
      'choose another --model',
    ];
  if (status === 413)
    return [
      'the conversation is too large for a request',
      'give the step `context: clear` or `context: compact`, or let it read less at a time',
    ];
  if (status !== 429 && status < 500)
    return ['the API refused the request', 'correct what it says'];
  return [
    status === 429
      ? 'the API limits how many requests you send'
      : 'the API is failing',
    'wait some minutes; https://status.claude.com shows whether it lasts',
  ];
}
