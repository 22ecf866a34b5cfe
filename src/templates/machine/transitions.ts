import { HoldfastError } from '../../text/holdfast-error.ts';
import { artefactsWith, declaredArtefacts, withMade } from './artefacts.ts';
import { enter, enterNextTask, enterStep } from './enter-step.ts';
import { loopsOf } from './loops.ts';
import {
  cleanSummary,
  DEFAULT_RETRIES,
  ownEntry,
  runArgument,
  type InputValue,
  type MachineContext,
  type MachineState,
  type RunFacts,
  type Task,
} from './machine-state.ts';
import { approvalPending } from './pivot.ts';
import { BrokenRun, loopOfStep, positionOf, type Position } from './position.ts';
import type { OnFail, Step, Template } from '../template-types.generated.ts';

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
  const [first] = context.template.steps;
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

interface AdvanceDetails {
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
  const { template, facts } = context;
  const place = positionOf(template, state);
  const { step } = place;
  const handedOn = (key: string): MachineState =>
    withMade(withOutput(state, `${step.id}${key}`, output), artefacts);
  if (place.kind === 'approval') throw approvalPending(context, state);
  if (place.kind === 'waiting') {
    const { key } = place.loop;
    const empty = isGuarded(template, step) ? '' : '; an empty list skips the step';
    throw new HoldfastError('waiting_for_tasks', `this step needs the tasks of "${key}"`, {
      hint: `set them with \`holdfast tasks ${key}${runArgument(facts, '--run ')}\` or the tool workflow_set_tasks${empty}`,
      toolHint: `set them with workflow_set_tasks (loop_id "${key}")${empty}`,
    });
  }
  if (place.kind === 'action') return finishStep(context, handedOn(''), place);
  if (place.kind === 'ralph') {
    const { iteration } = place;
    const current = handedOn(`.${iteration}`);
    return iteration < place.total && !isUntilMet
      ? enter(template, { ...current, ralphIteration: iteration + 1 }, step)
      : finishStep(context, current, place);
  }
  const current = handedOn(`.${place.task.id}.${place.subStep.id}`);
  const next = place.loop.subSteps[place.subIndex + 1];
  return next === undefined
    ? finishTask(context, current, place, { status: 'done' })
    : enter(template, { ...current, subStep: next.id }, step, next);
}

/** The user's answer to an approval step; the note is kept as the step's output. */
export function approve(context: MachineContext, state: MachineState, note?: string): MachineState {
  const place = positionOf(context.template, state);
  requireApproval(context.facts, place);
  return finishStep(context, withOutput(state, place.step.id, note), place);
}

export function requireApproval(facts: RunFacts, { kind, step }: Position): void {
  if (kind !== 'approval') throw noApproval(step.id, facts['run_id']);
}

/** `step` is null in a run without a template. */
export function noApproval(step: string | null, run: unknown): HoldfastError {
  const facts = { run_id: run };
  const where =
    step === null ? 'this run has no template' : `step "${step}" is not an approval step`;
  const back =
    step === null
      ? ''
      : `, or go back with \`holdfast pivot <step> --feedback "…"${runArgument(facts, '--run ')}\``;
  return new HoldfastError('no_approval', `${where}, so there is nothing to approve or reject`, {
    hint: `continue with \`holdfast advance${runArgument(facts)}\`${back}`,
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
  const aborted = (outcome: Partial<FailOutcome>): ReturnType<typeof fail> => ({
    state: {
      ...state,
      status: 'failed',
      ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
    },
    outcome: { outcome: 'abort', ...outcome },
  });
  const onFail = onFailAt(place);
  if (onFail === 'abort') return aborted({});
  if (onFail === 'skip') {
    const skipped =
      place.kind === 'task'
        ? finishTask(context, state, place, { status: 'failed', reason: reason.trim() })
        : enterStep(context, state, place.index + 1, place.step.id);
    const isGated =
      place.kind === 'task' ? place.step.gate !== undefined : isGuarded(template, place.step);
    return isGated && isStepLeft(state, skipped)
      ? aborted({ gated: true })
      : { state: skipped, outcome: { outcome: 'skip' } };
  }
  const { max_retries: of = DEFAULT_RETRIES } = template;
  const { retries = 0 } = state;
  const attempt = retries + 1;
  if (attempt > of) return aborted({ attempt: retries, of });
  return { state: { ...state, retries: attempt }, outcome: { outcome: 'retry', attempt, of } };
}

/** How often the present (sub-)step may still be tried again; null if its failure is not retried at all. */
export function retriesLeft({
  template: { max_retries: max = DEFAULT_RETRIES },
  machine: { retries = 0 },
  place,
}: {
  template: Template;
  machine: MachineState;
  place: Position | null;
}): number | null {
  return place === null || onFailAt(place) !== 'retry' ? null : Math.max(0, max - retries);
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
  const tasks = ownEntry(after.tasks, loopsOf(template).get(before.step)?.key ?? '') ?? [];
  return isStepLeft(before, after) && tasks.every(({ status }) => status !== 'done');
}

/** Leaves the whole current step undone. Nothing may bypass a gate or an approval, so a step with one stays. */
export function skipStep(context: MachineContext, state: MachineState): MachineState {
  const { template, facts } = context;
  const { index, step } = positionOf(template, state);
  if (step.type === 'approval') throw approvalPending(context, state);
  if (isGuarded(template, step)) {
    const run = runArgument(facts);
    throw new HoldfastError(
      'step_not_skipped',
      `step "${step.id}" has a gate, so it cannot be skipped`,
      {
        hint: `finish it with \`holdfast advance${run}\`, or report why it cannot be done with \`holdfast fail${run} --reason "…"\``,
      },
    );
  }
  // The task that is left counts as failed; those that nobody began stay pending.
  return enterStep(context, withTaskLeft(state, 'failed'), index + 1, step.id);
}

/** Ends the run at its last step. A task that was under way is begun again if the run is reopened. */
export function finish(run: { template: Template; machine: MachineState }): MachineState {
  const left = withTaskLeft(reopen(run.machine), 'pending');
  return enterStep({ ...run, facts: {} }, left, run.template.steps.length);
}

function withTaskLeft(state: MachineState, status: Task['status']): MachineState {
  const left = (task: Task): Task => (task.status === 'in_progress' ? { ...task, status } : task);
  const tasks = Object.entries(state.tasks).map(([key, list]) => [key, list.map(left)]);
  return { ...state, tasks: Object.fromEntries(tasks) };
}

/** Whether the step, or a part of it, has a gate. */
export function isGuarded(template: Template, step: Step): boolean {
  const subSteps = step.type === 'loop' ? loopOfStep(template, step).subSteps : [];
  return [step, ...subSteps].some(({ gate }) => gate !== undefined);
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

function finishTask(
  context: MachineContext,
  state: MachineState,
  place: Extract<Position, { kind: 'task' }>,
  end: Pick<Task, 'status' | 'reason'>,
): MachineState {
  const tasks = place.tasks.with(place.taskIndex, { ...place.task, ...end });
  const next = { ...state, tasks: { ...state.tasks, [place.loop.key]: tasks } };
  return enterNextTask(context.template, next, place.step) ?? finishStep(context, next, place);
}

/** A step that was finished has made what it declares; one that was skipped has not. */
function finishStep(
  context: MachineContext,
  state: MachineState,
  { index, step }: Position,
): MachineState {
  const made = { ...state, artefacts: artefactsWith(state, declaredArtefacts(step)) };
  return enterStep(context, made, index + 1, step.id);
}

function withOutput(state: MachineState, key: string, output = ''): MachineState {
  return output.trim() === '' ? state : { ...state, outputs: { ...state.outputs, [key]: output } };
}
