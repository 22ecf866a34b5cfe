import { requestedAdvance } from '../runs/advance.ts';
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
import type { RunPosition } from './verdict.ts';

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
}

type RunContext = Pick<DriveContext, 'root' | 'open' | 'runId'>;

/** The run as it is on disk now; `at` is null if it has no template that can be read. */
export function runNow({ open, runId }: RunContext): { run: StoredRun | null; at: StepAt | null } {
  const { store } = open(null);
  const isMeant = (run: StoredRun): boolean => run.runId === runId;
  const run = store.list().runs.find(isMeant) ?? listArchive(store.root).runs.find(isMeant) ?? null;
  return { run, at: run === null ? null : stepAt(run) };
}

function stepAt(run: StoredRun): StepAt | null {
  const parsed = inspectRun(run.state);
  if (parsed.kind !== 'template') return null;
  const { state, template, machine } = parsed;
  const { retries = 0, ...entry } = machine;
  const stateOf = phaseStates(state);
  return {
    ...parsed,
    runId: run.runId,
    entry: positionKey(run.runId, entry),
    states: template.steps.map((_, index) => stateOf(index + 1)),
    attempt: retries + 1,
    isOver: machine.status !== 'running' || ['completed', 'cancelled'].includes(state.status ?? ''),
  };
}

/** Where it stands, as far as a turn is judged by it. */
export function positionNow(context: RunContext): RunPosition {
  const { run, at } = runNow(context);
  return {
    position: at === null || at.isOver ? null : positionKey(at.runId, at.machine),
    isMoveRequested: run !== null && at !== null && requestedAdvance(run) !== null,
  };
}

/** Notices that a run was ended, deleted or taken by another session. */
export class RunWatch {
  /** The session that the driver has given the run to; null before the first one. */
  session: string | null = null;
  #path = 'its state file';

  constructor(private readonly context: RunContext) {}

  see({ path }: StoredRun): void {
    this.#path = path;
  }

  /** Null if the run can go on, has failed, or was finished step by step. */
  loss(): Stop | null {
    const { runId } = this.context;
    const { run, at } = runNow(this.context);
    if (run === null)
      return {
        reason: 'gone',
        message: 'the state file of the run is gone',
        advice: `bring back ${this.#path} from a copy, or start another run with \`holdfast run --template <template>\``,
      };
    const { status, status_reason: why = '' } = run.state;
    const advice = `\`holdfast reopen ${runId}\` brings it back`;
    if (status === 'cancelled')
      return { reason: 'cancelled', message: withReason('the run was cancelled', why), advice };
    if (at === null) return null;
    if (status === 'completed' && at.machine.status !== 'complete') {
      const message = `the run was ended at ${sanitizeLine(at.status.progress.text)}`;
      return { reason: 'ended', message, advice };
    }
    const holder = holderOf(at.state);
    if (holder === null || this.session === null || at.isOver || holder === this.session)
      return null;
    const session = sanitizeLine(holder);
    return {
      reason: 'taken',
      message: `the session ${session} has taken the run`,
      advice: `wait until ${session} has ended, or let go of it with \`holdfast release ${runId}\``,
    };
  }
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
