import { HoldfastError } from '../../text/holdfast-error.ts';
import { unreachable } from '../../text/unreachable.ts';
import { withDeclared, withMade } from './artefacts.ts';
import { runArgument, runIdIn, runOption, type MachineContext } from './conditions.ts';
import { enterIteration, enterNextTask, enterStep, enterSubStep } from './enter-step.ts';
import { loopsOf } from './loops.ts';
import {
  DEFAULT_RETRIES,
  ownEntry,
  type InputValue,
  type MachineState,
  type Task,
} from './machine-state.ts';
import { approvalPending } from './pivot.ts';
import { positionOf, type Position } from './position.ts';
import { BrokenRun } from './shape-checks.ts';
import { cleanSummary } from './summary.ts';
import type { OnFail, Template } from '../template-types.generated.ts';

export interface FailOutcome {
  outcome: OnFail;
  /** Which retry this is, or how many there were before the run was given up. */
  attempt?: number;
  of?: number;
  /** The step was to be skipped, but it has a gate, which only `advance` can pass. */
  gated?: true;
}

export function start(
  context: MachineContext,
  given: string | undefined,
  inputs: Readonly<Record<string, InputValue>>,
): MachineState {
  const { template } = context;
  const [first] = template.steps;
  if (first === undefined) throw new BrokenRun('template.steps', 'a list that is not empty');
  const summary = cleanSummary(given);
  const blank: MachineState = {
    status: 'running',
    step: first.id,
    stepType: first.type,
    ...(Object.keys(inputs).length === 0 ? {} : { inputs: { ...inputs } }),
    tasks: {},
    outputs: {},
    ...(summary === undefined ? {} : { summary }),
    artefacts: {},
    contextActionExecuted: false,
  };
  return enterStep(context, blank, 0);
}

export interface AdvanceDetails {
  output?: string | undefined;
  artefacts?: readonly string[];
  /** The `until` command of a ralph step has exited 0: no further iteration is needed. */
  isUntilMet?: boolean;
}

/** Finishes the current position: goes on to the next sub-step, task, iteration or step. */
export function advance(
  context: MachineContext,
  state: MachineState,
  { output, artefacts = [], isUntilMet = false }: AdvanceDetails = {},
): MachineState {
  const { template } = context;
  const place = positionOf(template, state);
  if (place.kind === 'approval') throw approvalPending(context, state);
  if (place.kind === 'waiting') {
    const { key } = place.loop;
    const empty = place.step.gate === undefined ? '; an empty list skips the step' : '';
    throw new HoldfastError('waiting_for_tasks', `this step needs the tasks of "${key}"`, {
      hint: `set them with \`holdfast tasks ${key}${runOption(runIdIn(context.facts))}\` or the tool workflow_set_tasks${empty}`,
      toolHint: `set them with workflow_set_tasks (loop_id "${key}")${empty}`,
    });
  }
  const handedOn = withMade(withOutput(state, outputKey(place), output), artefacts);
  switch (place.kind) {
    case 'action':
      return finishStep(context, handedOn, place);
    case 'ralph': {
      const current = withoutLaterIterations(handedOn, place);
      return place.iteration < place.total && !isUntilMet
        ? enterIteration(template, current, place.step, place.iteration + 1)
        : finishStep(context, current, place);
    }
    case 'task': {
      const next = place.loop.subSteps[place.subIndex + 1];
      return next === undefined
        ? finishTask(context, handedOn, place, 'done')
        : enterSubStep(template, handedOn, place.step, next);
    }
    default:
      return unreachable(place);
  }
}

/** The user's answer to an approval step; the note is kept as the step's output. */
export function approve(context: MachineContext, state: MachineState, note?: string): MachineState {
  const place = positionOf(context.template, state);
  requireApproval(context, place);
  return finishStep(context, withOutput(state, place.step.id, note), place);
}

export function requireApproval({ facts }: MachineContext, { kind, step }: Position): void {
  if (kind === 'approval') return;
  throw noApproval(step.id, runIdIn(facts));
}

/** `step` is null in a run without a template. */
export function noApproval(step: string | null, run: string | null): HoldfastError {
  const where =
    step === null ? 'this run has no template' : `step "${step}" is not an approval step`;
  const back =
    step === null
      ? ''
      : `, or go back with \`holdfast pivot <step> --feedback "…"${runOption(run)}\``;
  return new HoldfastError('no_approval', `${where}, so there is nothing to approve or reject`, {
    hint: `continue with \`holdfast advance${runArgument(run)}\`${back}`,
  });
}

export function fail(
  context: MachineContext,
  state: MachineState,
  reason: string,
): { state: MachineState; outcome: FailOutcome } {
  const { template } = context;
  const place = positionOf(template, state);
  // `on_fail: skip` must not get past an approval.
  if (place.kind === 'approval') throw approvalPending(context, state);
  const { retries = 0 } = state;
  const { max_retries: of = DEFAULT_RETRIES } = template;
  const onFail = onFailAt(place);
  switch (onFail) {
    case 'skip': {
      const skipped = skip(context, state, place);
      return place.step.gate !== undefined && isStepLeft(state, skipped)
        ? { state: abort(state, reason), outcome: { outcome: 'abort', gated: true } }
        : { state: skipped, outcome: { outcome: 'skip' } };
    }
    case 'abort':
      return { state: abort(state, reason), outcome: { outcome: 'abort' } };
    case 'retry':
      return retries < of
        ? {
            state: { ...state, retries: retries + 1 },
            outcome: { outcome: 'retry', attempt: retries + 1, of },
          }
        : { state: abort(state, reason), outcome: { outcome: 'abort', attempt: retries, of } };
    default:
      return unreachable(onFail);
  }
}

/** How often the present (sub-)step may still be tried again; null if its failure is not retried at all. */
export function retriesLeft(template: Template, state: MachineState): number | null {
  if (onFailAt(positionOf(template, state)) !== 'retry') return null;
  return Math.max(0, (template.max_retries ?? DEFAULT_RETRIES) - (state.retries ?? 0));
}

export function isStepLeft(before: MachineState, after: MachineState): boolean {
  return after.step !== before.step || after.status === 'complete';
}

/** Whether a skipped failure leaves the whole step undone. A loop that has finished a task is done without the rest. */
export function isStepUndone(
  template: Template,
  before: MachineState,
  after: MachineState,
): boolean {
  const key = loopsOf(template).get(before.step)?.key;
  const tasks = key === undefined ? undefined : ownEntry(after.tasks, key);
  return isStepLeft(before, after) && tasks?.some(({ status }) => status === 'done') !== true;
}

/** A failed run continues where it stopped, with all its retries; this is not a new entry. */
export function reopen(state: MachineState): MachineState {
  const { reason: _reason, retries: _retries, ...rest } = state;
  return { ...rest, status: 'running' };
}

function onFailAt(place: Position): OnFail {
  const own = place.kind === 'task' ? place.subStep.on_fail : undefined;
  return own ?? place.step.on_fail ?? 'abort';
}

function skip(context: MachineContext, state: MachineState, place: Position): MachineState {
  return place.kind === 'task'
    ? finishTask(context, state, place, 'failed')
    : enterStep(context, state, place.index + 1, place.step.id);
}

function abort(state: MachineState, given: string): MachineState {
  const reason = given.trim();
  return { ...state, status: 'failed', ...(reason === '' ? {} : { reason }) };
}

function finishTask(
  context: MachineContext,
  state: MachineState,
  place: Extract<Position, { kind: 'task' }>,
  status: 'done' | 'failed',
): MachineState {
  const finished: Task = { ...place.task, status };
  const tasks = place.tasks.with(place.taskIndex, finished);
  const next = { ...state, tasks: { ...state.tasks, [place.loop.key]: tasks } };
  return enterNextTask(context.template, next, place.step) ?? finishStep(context, next, place);
}

function finishStep(
  context: MachineContext,
  state: MachineState,
  { index, step }: Position,
): MachineState {
  return enterStep(context, withDeclared(state, step), index + 1, step.id);
}

function outputKey(place: Exclude<Position, { kind: 'waiting' | 'approval' }>): string {
  const { id } = place.step;
  switch (place.kind) {
    case 'action':
      return id;
    case 'ralph':
      return `${id}.${place.iteration}`;
    case 'task':
      return `${id}.${place.task.id}.${place.subStep.id}`;
    default:
      return unreachable(place);
  }
}

/** Outputs of iterations that are still ahead are of work that was sent back: a pivot starts at the first one again. */
function withoutLaterIterations(
  state: MachineState,
  { step, iteration }: Extract<Position, { kind: 'ralph' }>,
): MachineState {
  const isLater = (key: string): boolean =>
    key.startsWith(`${step.id}.`) && Number(key.slice(step.id.length + 1)) > iteration;
  const outputs = Object.entries(state.outputs);
  if (!outputs.some(([key]) => isLater(key))) return state;
  return { ...state, outputs: Object.fromEntries(outputs.filter(([key]) => !isLater(key))) };
}

function withOutput(state: MachineState, key: string, output: string | undefined): MachineState {
  if (output === undefined || output.trim() === '') return state;
  return { ...state, outputs: { ...state.outputs, [key]: output } };
}
