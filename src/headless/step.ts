import { currentRun } from '../operations/drive.ts';
import { nextDrivenStep } from '../operations/next-action.ts';
import { requestedAdvance } from '../operations/driven-run.ts';
import { holderOf } from '../sessions/holder.ts';
import { failureOf } from '../state/phases.ts';
import { readJournalOf } from '../state/store/state-writer.ts';
import type { StoredRun } from '../state/types.ts';
import { DEFAULT_RETRIES } from '../templates/machine/machine-state.ts';
import { positionKey, type NextAction } from '../templates/next.ts';
import { isAtPivotLimit, maxPivots } from '../templates/machine/pivot.ts';
import { positionOf } from '../templates/machine/position.ts';
import { statusOf } from '../templates/machine/status.ts';
import {
  phaseStates,
  type PhaseState,
  inspectRun,
  type TemplateRun,
} from '../templates/run-view.ts';
import type { DriveContext } from './context.ts';
import type { RunLoss, Stop } from './stop.ts';
import type { RunPosition } from './verdict.ts';

/** Where a run stands, as the driver sees it. */
export interface StepAt {
  run: StoredRun;
  templateRun: TemplateRun;
  step: string;
  /** Identifies this entry into the step, task, sub-step or iteration; retries belong to the same one. */
  entry: string;
  /** In words: `step 2 of 5 (build), iteration 1 of 3`. */
  label: string;
  number: number;
  total: number;
  /** Of all steps, in their order. */
  states: PhaseState[];
  /** Counts from 1; more after a failure that is retried. */
  attempt: number;
  agent: string | null;
  holder: string | null;
  /** The run is complete, failed or ended. */
  isOver: boolean;
}

type RunContext = Pick<DriveContext, 'root' | 'open' | 'runId'>;

/** The run as it is on disk now; `at` is null if it has no template that can be read. */
export function runNow({ open, runId }: RunContext): { run: StoredRun | null; at: StepAt | null } {
  const run = currentRun(open(null), runId);
  return { run, at: run === null ? null : stepAt(run) };
}

function stepAt(run: StoredRun): StepAt | null {
  const templateRun = inspectRun(run.state);
  if (templateRun.kind !== 'template') return null;
  const { template, machine } = templateRun;
  const { progress, agent, status } = statusOf({ template, facts: run.state }, machine);
  const { retries = 0, ...entry } = machine;
  const stateOf = phaseStates(run.state);
  return {
    run,
    templateRun,
    step: machine.step,
    entry: positionKey(run.runId, entry),
    label: progress.text,
    number: progress.currentStep,
    total: progress.totalSteps,
    states: template.steps.map((_, index) => stateOf(index + 1)),
    attempt: retries + 1,
    agent,
    holder: holderOf(run.state),
    isOver: status !== 'running' || ['completed', 'cancelled'].includes(run.state.status ?? ''),
  };
}

/** Where it stands, as far as a turn is judged by it. */
export function positionNow(context: RunContext): RunPosition {
  const { run, at } = runNow(context);
  if (run === null || at === null) return { position: null, isMoveRequested: false };
  return {
    position: at.isOver ? null : nextDrivenStep(run, null).position,
    isMoveRequested: requestedAdvance(run) !== null,
  };
}

/** Notices that a run was ended, deleted or taken by another session. */
export class RunWatch {
  /** The session that the driver has given the run to; null before the first one. */
  session: string | null = null;
  #path: string | null = null;

  constructor(private readonly context: RunContext) {}

  see({ path }: StoredRun): void {
    this.#path = path;
  }

  /** Null if the run can go on, has failed, or was finished step by step. */
  loss(): RunLoss | null {
    const { run, at } = runNow(this.context);
    if (run === null) return { reason: 'gone', path: this.#path };
    const { status, status_reason: why = '' } = run.state;
    if (status === 'cancelled') return { reason: 'cancelled', why };
    if (at === null) return null;
    if (status === 'completed' && at.templateRun.machine.status !== 'complete') {
      const events = readJournalOf(this.context.root, run);
      const end = events.findLast(({ event }) => event === 'completed');
      const session = end?.['session_id'] ?? null;
      const by = end === undefined ? undefined : typeof session === 'string' ? session : null;
      return { reason: 'ended', label: at.label, session: by };
    }
    const { holder } = at;
    if (holder === null || this.session === null || at.isOver) return null;
    return holder === this.session ? null : { reason: 'taken', session: holder };
  }
}

/** Why a run goes no further by itself, with what is known about it. */
export function stopAt(
  reason: NonNullable<NextAction['stop']>,
  { run: { state }, templateRun: { template, machine }, label }: StepAt,
): Stop {
  switch (reason) {
    case 'failed':
      return { reason, why: state.status_reason ?? '' };
    case 'tasks': {
      const place = positionOf(template, machine);
      return { reason, loop: place.kind === 'waiting' ? place.loop.key : machine.step };
    }
    case 'approval':
      return { reason, canReject: !isAtPivotLimit(template, machine) };
    case 'limit': {
      const why = failureOf(state)?.reason ?? state.status_reason ?? '';
      const isRetries = machine.status === 'failed';
      return {
        reason,
        limit: isRetries ? 'retries' : 'pivots',
        allowed: isRetries ? (template.max_retries ?? DEFAULT_RETRIES) : maxPivots(template),
        label: label.replace(/, failed$/, ''),
        why,
      };
    }
    default:
      return { reason };
  }
}
