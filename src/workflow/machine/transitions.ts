import { HoldfastError } from '../../errors/holdfast-error.ts';
import { unreachable } from '../../util/unreachable.ts';
import { withDeclared, withMade } from './artefacts.ts';
import { enterIteration, enterNextTask, enterStep, enterSubStep } from './enter-step.ts';
import type { MachineState, Task } from './machine-state.ts';
import { positionOf, type Position } from './position.ts';
import { brokenRunError } from './shape-checks.ts';
import { cleanSummary } from './summary.ts';
import type { OnFail, Template } from '../template/template-types.generated.ts';

const DEFAULT_RETRIES = 3;

export interface FailOutcome {
  outcome: OnFail;
  /** Which retry this is, or how many there were before the run was given up. */
  attempt?: number;
  of?: number;
  /** The step was to be skipped, but it has a gate, which only `advance` can pass. */
  gated?: true;
}

export function start(template: Template, given: string | undefined): MachineState {
  const [first] = template.steps;
  if (first === undefined) throw brokenRunError('template.steps', { kind: 'filled_list' });
  const summary = cleanSummary(given);
  const blank: MachineState = {
    status: 'running',
    step: first.id,
    stepType: first.type,
    tasks: {},
    outputs: {},
    ...(summary === undefined ? {} : { summary }),
    artefacts: {},
    contextActionExecuted: false,
  };
  return enterStep(template, blank, 0);
}

/** What is at hand is done: on to the next sub-step, task, iteration or step. */
export function advance(
  template: Template,
  state: MachineState,
  output: string | undefined,
  artefacts: readonly string[],
): MachineState {
  const place = positionOf(template, state);
  if (place.kind === 'waiting')
    throw new HoldfastError({
      code: 'waiting_for_tasks',
      loop: place.loop.key,
      gated: place.step.gate !== undefined,
    });
  const handedOn = withMade(withOutput(state, outputKey(place), output), artefacts);
  switch (place.kind) {
    case 'action':
      return finishStep(template, handedOn, place);
    case 'ralph':
      return place.iteration < place.total
        ? enterIteration(template, handedOn, place.step, place.iteration + 1)
        : finishStep(template, handedOn, place);
    case 'task': {
      const next = place.loop.subSteps[place.subIndex + 1];
      return next === undefined
        ? finishTask(template, handedOn, place, 'done')
        : enterSubStep(template, handedOn, place.step, next);
    }
    default:
      return unreachable(place);
  }
}

export function fail(
  template: Template,
  state: MachineState,
  reason: string,
): { state: MachineState; outcome: FailOutcome } {
  const place = positionOf(template, state);
  const { retries = 0 } = state;
  const { max_retries: of = DEFAULT_RETRIES } = template;
  const onFail = onFailAt(place);
  switch (onFail) {
    case 'skip': {
      const skipped = skip(template, state, place);
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

/** A failed run goes on where it was given up, with all its retries, but without a new entry. */
export function reopen(state: MachineState): MachineState {
  const { reason: _reason, retries: _retries, ...rest } = state;
  return { ...rest, status: 'running' };
}

function onFailAt(place: Position): OnFail {
  const own = place.kind === 'task' ? place.subStep.on_fail : undefined;
  return own ?? place.step.on_fail ?? 'abort';
}

function skip(template: Template, state: MachineState, place: Position): MachineState {
  return place.kind === 'task'
    ? finishTask(template, state, place, 'failed')
    : enterStep(template, state, place.index + 1, place.step.id);
}

function abort(state: MachineState, given: string): MachineState {
  const reason = given.trim();
  return { ...state, status: 'failed', ...(reason === '' ? {} : { reason }) };
}

function finishTask(
  template: Template,
  state: MachineState,
  place: Extract<Position, { kind: 'task' }>,
  status: 'done' | 'failed',
): MachineState {
  const finished: Task = { ...place.task, status };
  const tasks = place.tasks.with(place.taskIndex, finished);
  const next = { ...state, tasks: { ...state.tasks, [place.loop.key]: tasks } };
  return enterNextTask(template, next, place.step) ?? finishStep(template, next, place);
}

function finishStep(
  template: Template,
  state: MachineState,
  { index, step }: Position,
): MachineState {
  return enterStep(template, withDeclared(state, step), index + 1, step.id);
}

function outputKey(place: Exclude<Position, { kind: 'waiting' }>): string {
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

function withOutput(state: MachineState, key: string, output: string | undefined): MachineState {
  if (output === undefined || output.trim() === '') return state;
  return { ...state, outputs: { ...state.outputs, [key]: output } };
}
