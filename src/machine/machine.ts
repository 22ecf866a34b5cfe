import { HoldfastError } from '../text/holdfast-error.ts';
import { asWord, quoted } from '../text/sanitize.ts';
import { checkedState } from './check-state.ts';
import {
  artefactsWith,
  declaredArtefacts,
  enter,
  enterNextTask,
  enterStep,
  unique,
} from './enter-step.ts';
import { contextActionState, performContextAction } from './context-action.ts';
import {
  cleanSummary,
  DEFAULT_RETRIES,
  runArgument,
  type InputValue,
  type MachineState,
  type RunFacts,
  type Task,
} from './machine-state.ts';
import { approvalPending, pivot, rejectionTarget } from './send-back.ts';
import {
  BrokenRunError,
  isGuarded,
  loopsOf,
  onFailAt,
  placeOf,
  positionOf,
  type Position,
  type TaskPosition,
  type WaitingPosition,
} from './position.ts';
import { statusOf, type Status } from './status.ts';
import { giveTasks, type GivenTask } from './give-tasks.ts';
import { withAnswer } from './wait.ts';
import type {
  ContextAction,
  OnFail,
  Step,
  Template,
} from './template-types.generated.ts';
import { ownEntry } from '../text/json.ts';

const MAX_REASON_CHARS = 200;

export interface FailOutcome {
  outcome: OnFail;
  /** Which retry this is, or how many there were before the run was given up. */
  attempt?: number;
  of?: number;
  /** The step was to be skipped, but it has a gate, which only `advance` can pass. */
  gated?: true;
}

/** Walks a run through the steps of its template. It reads neither files nor the clock. */
export class WorkflowStateMachine {
  #state: MachineState | null = null;

  /** `template` has been validated; `facts` is the run that `when` conditions look at. */
  constructor(
    readonly template: Template,
    readonly facts: RunFacts = {},
  ) {}

  /** The machine at a saved state. Throws `broken_run` if the state does not fit the template. */
  static fromState(
    template: Template,
    state: unknown,
    facts: RunFacts = {},
  ): WorkflowStateMachine {
    const checked = structuredClone(checkedState(template, state));
    return WorkflowStateMachine.at(template, checked, facts);
  }

  /** The machine at a state that was checked before and that nobody changes in place, so it is not copied. */
  static at(
    template: Template,
    state: MachineState,
    facts: RunFacts = {},
  ): WorkflowStateMachine {
    const machine = new WorkflowStateMachine(template, facts);
    machine.#state = state;
    return machine;
  }

  start(
    summary?: string,
    inputs: Readonly<Record<string, InputValue>> = {},
  ): void {
    if (this.#state !== null) return;
    const [first] = this.template.steps;
    if (first === undefined)
      throw new BrokenRunError('template.steps', 'a list that is not empty');
    const about = cleanSummary(summary);
    const hasInputs = Object.keys(inputs).length > 0;
    // In the order in which people read it in the state file.
    const blank: MachineState = {
      status: 'running',
      step: first.id,
      stepType: first.type,
      ...(hasInputs && { inputs: { ...inputs } }),
      tasks: {},
      outputs: {},
      ...(about !== undefined && { summary: about }),
      artefacts: {},
      contextActionExecuted: false,
    };
    this.#state = enterStep(this, blank, 0);
  }

  /** Finishes the current position. `isUntilMet`: the `until` command of a ralph step has ended its iterations. */
  advance(
    output?: string,
    artefacts: readonly string[] = [],
    isUntilMet = false,
  ): void {
    const place = this.#position();
    switch (place.kind) {
      case 'approval':
        throw approvalPending(this, this.state);
      case 'waiting':
        throw this.#needsTasks(place);
      case 'action': {
        const made = this.#withResults(place.step.id, output, artefacts);
        this.#state = this.#finishStep(made, place);
        return;
      }
      case 'ralph': {
        const { step, iteration, total } = place;
        const key = `${step.id}.${iteration}`;
        const made = this.#withResults(key, output, artefacts);
        this.#state =
          iteration < total && !isUntilMet
            ? this.#enterIteration(made, step, iteration + 1)
            : this.#finishStep(made, place);
        return;
      }
      case 'task': {
        const { step, task, subStep, subIndex, loop } = place;
        const key = `${step.id}.${task.id}.${subStep.id}`;
        const made = this.#withResults(key, output, artefacts);
        const next = loop.subSteps[subIndex + 1];
        this.#state =
          next === undefined
            ? this.#finishTask(made, place, { status: 'done' })
            : enter(this.template, { ...made, subStep: next.id }, step, next);
      }
    }
  }

  /** The user accepts what an approval step shows; the note is kept as the step's output. */
  approve(note?: string): void {
    const place = this.#approval();
    const answered = withAnswer(this, this.state, 'approved');
    const noted = withOutput(answered, place.step.id, note);
    this.#state = this.#finishStep(noted, place);
  }

  /** The user sends the work of an approval step back; returns the step that has to be done again. */
  reject(): string {
    this.#approval();
    const answered = withAnswer(this, this.state, 'rejected');
    const to = rejectionTarget(this, answered);
    this.#state = pivot(this, answered, to);
    return to;
  }

  /** What a failure leads to is what the template says with `on_fail`. */
  fail(reason: string): FailOutcome {
    const place = this.#position();
    // `on_fail: skip` must not get past an approval.
    if (place.kind === 'approval') throw approvalPending(this, this.state);
    const why = reason.trim();
    const outcome = onFailAt(place);
    if (outcome === 'abort') return this.#abort(why);
    if (outcome === 'skip') return this.#skipFailed(place, why);
    return this.#retry(why);
  }

  #abort(reason: string, details: Partial<FailOutcome> = {}): FailOutcome {
    const failed: MachineState = { ...this.state, status: 'failed' };
    if (reason !== '') failed.reason = reason;
    this.#state = failed;
    return { outcome: 'abort', ...details };
  }

  /** In a loop only the task is skipped, and the gate of the step comes after its last one. */
  #skipFailed(place: Position, reason: string): FailOutcome {
    const { template, state } = this;
    const { step, index } = place;
    let skipped: MachineState;
    let isGated: boolean;
    if (place.kind === 'task') {
      skipped = this.#finishTask(state, place, { status: 'failed', reason });
      isGated = step.gate !== undefined;
    } else {
      skipped = enterStep(this, state, index + 1, step.id);
      isGated = isGuarded(template, step);
    }
    if (isGated && isStepLeft(state, skipped))
      return this.#abort(reason, { gated: true });
    this.#state = skipped;
    return { outcome: 'skip' };
  }

  #retry(reason: string): FailOutcome {
    const { max_retries: of = DEFAULT_RETRIES } = this.template;
    const { retries = 0 } = this.state;
    if (retries >= of) return this.#abort(reason, { attempt: retries, of });
    const attempt = retries + 1;
    this.#state = { ...this.state, retries: attempt };
    return { outcome: 'retry', attempt, of };
  }

  /** Leaves the whole current step undone. Nothing may bypass a gate or an approval, so a step with one stays. */
  skip(): void {
    const { index, step } = this.#position();
    if (step.type === 'approval') throw approvalPending(this, this.state);
    if (isGuarded(this.template, step)) {
      const run = runArgument(this.facts);
      const message = `step "${step.id}" has a gate, so it cannot be skipped`;
      const hint = `finish it with \`holdfast advance${run}\`, or report why it cannot be done with \`holdfast fail${run} --reason "…"\``;
      throw new HoldfastError('step_not_skipped', message, { hint });
    }
    // The task that is left counts as failed; those that nobody began stay pending.
    const left = withTaskLeft(this.state, 'failed');
    this.#state = enterStep(this, left, index + 1, step.id);
  }

  /** `id` names a loop, or a step that walks one. */
  setTasks(id: string, tasks: readonly GivenTask[]): void {
    this.#state = giveTasks(this, this.#running(), id, tasks);
  }

  pivot(step: string): void {
    this.#state = pivot(this, this.#running(), step);
  }

  /** Ends the run at its last step. A task that was under way is begun again if the run is reopened. */
  finish(): void {
    const left = withTaskLeft(resumed(this.state), 'pending');
    this.#state = enterStep(this, left, this.template.steps.length);
  }

  /** A failed run goes on where it stopped; a complete one enters its last step again that has something to do. */
  reopen(): void {
    const { state } = this;
    if (state.status === 'failed') this.#state = resumed(state);
    if (state.status !== 'complete') return;

    const running: MachineState = { ...state, status: 'running' };
    for (let index = this.template.steps.length - 1; index >= 0; index -= 1) {
      const entered = enterStep(this, running, index);
      if (entered.status !== 'running') continue;
      this.#state = entered;
      return;
    }
    // No step has anything to do: this refuses, because the run is complete.
    this.#running();
  }

  getStatus(): Status {
    return statusOf(this, this.state, placeOf(this.template, this.state));
  }

  getState(): MachineState {
    return structuredClone(this.state);
  }

  /** Not a copy, which would be slow with thousands of tasks. */
  get state(): Readonly<MachineState> {
    if (this.#state !== null) return this.#state;
    const message = `${quoted(this.template.name)} has not been started`;
    throw new HoldfastError('not_started', message, {
      hint: 'start it first',
    });
  }

  /** The context action of the current entry, if it has not been requested yet. */
  getContextActionIfNeeded(): ContextAction | null {
    const action = contextActionState(this.state);
    if (action?.state !== 'due') return null;
    return action.command === '/clear' ? 'clear' : 'compact';
  }

  markContextActionExecuted(at?: string): void {
    const { status, contextActionExecuted, contextAction: action } = this.state;
    if (status !== 'running' || contextActionExecuted) return;
    const requested: MachineState = {
      ...this.state,
      contextActionExecuted: true,
    };
    if (action !== undefined && at !== undefined)
      requested.contextAction = { ...action, requestedAt: at };
    this.#state = requested;
  }

  /** The conversation was compacted or cleared, on request or not. */
  performContextAction(happened: ContextAction, at: string): void {
    this.#state = performContextAction(this.state, happened, at);
  }

  #running(): MachineState {
    const { status, reason = '' } = this.state;
    if (status === 'running') return this.state;
    const name = quoted(this.template.name);
    if (status === 'complete')
      throw new HoldfastError(
        'workflow_over',
        `${name} is complete; it has no steps left`,
        {
          hint: 'start another run with `holdfast start`',
          toolHint: 'start another with workflow_start',
        },
      );
    const why = reason === '' ? '' : ` (${asWord(reason, MAX_REASON_CHARS)})`;
    throw new HoldfastError('workflow_over', `${name} has failed${why}`, {
      hint: 'retry the same step with `holdfast resume <run>`',
    });
  }

  #position(): Position {
    return positionOf(this.template, this.#running());
  }

  #approval(): Position {
    const place = this.#position();
    if (place.kind === 'approval') return place;
    throw noApproval(place.step.id, this.facts['run_id']);
  }

  #needsTasks({ step, loop }: WaitingPosition): HoldfastError {
    const { key } = loop;
    const option = runArgument(this.facts, '--run ');
    const orSkip = isGuarded(this.template, step)
      ? ''
      : '; an empty list skips the step';
    const message = `this step needs the tasks of "${key}"`;
    return new HoldfastError('waiting_for_tasks', message, {
      hint: `set them with \`holdfast tasks ${key}${option}\` or the tool workflow_set_tasks${orSkip}`,
      toolHint: `set them with workflow_set_tasks (loop_id "${key}")${orSkip}`,
    });
  }

  /** The state with what the current position hands on: its output, under this key, and the files that it made. */
  #withResults(
    key: string,
    output: string | undefined,
    artefacts: readonly string[],
  ): MachineState {
    return withMade(withOutput(this.state, key, output), artefacts);
  }

  #enterIteration(
    state: MachineState,
    step: Step,
    iteration: number,
  ): MachineState {
    const next = { ...state, ralphIteration: iteration };
    return enter(this.template, next, step);
  }

  #finishTask(
    state: MachineState,
    place: TaskPosition,
    end: Pick<Task, 'status' | 'reason'>,
  ): MachineState {
    const { loop, step, task, taskIndex } = place;
    const ended = place.tasks.with(taskIndex, { ...task, ...end });
    const next = { ...state, tasks: { ...state.tasks, [loop.key]: ended } };
    const entered = enterNextTask(this.template, next, step);
    return entered ?? this.#finishStep(next, place);
  }

  /** A step that was finished has made what it declares; one that was skipped has not. */
  #finishStep(state: MachineState, { index, step }: Position): MachineState {
    const artefacts = artefactsWith(state, declaredArtefacts(step));
    return enterStep(this, { ...state, artefacts }, index + 1, step.id);
  }
}

/** `step` is null in a run without a template. */
export function noApproval(step: string | null, run: unknown): HoldfastError {
  const facts = { run_id: run };
  let where = 'this run has no template';
  let goBack = '';
  if (step !== null) {
    where = `step "${step}" is not an approval step`;
    goBack = `, or go back with \`holdfast pivot <step> --feedback "…"${runArgument(facts, '--run ')}\``;
  }
  const message = `${where}, so there is nothing to approve or reject`;
  return new HoldfastError('no_approval', message, {
    hint: `continue with \`holdfast advance${runArgument(facts)}\`${goBack}`,
  });
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
  if (!isStepLeft(before, after)) return false;
  const key = loopsOf(template).get(before.step)?.key ?? '';
  const tasks = ownEntry(after.tasks, key) ?? [];
  return tasks.every(({ status }) => status !== 'done');
}

/** The task under way, if there is one, gets this status. */
function withTaskLeft(
  state: MachineState,
  status: Task['status'],
): MachineState {
  const left = (task: Task): Task =>
    task.status === 'in_progress' ? { ...task, status } : task;
  const lists = Object.entries(state.tasks);
  const tasks = lists.map(([key, list]) => [key, list.map(left)]);
  return { ...state, tasks: Object.fromEntries(tasks) };
}

/** A failed run continues where it stopped, with all its retries; this is not a new entry. */
function resumed(state: MachineState): MachineState {
  const { reason: _reason, retries: _retries, ...rest } = state;
  return { ...rest, status: 'running' };
}

function withOutput(
  state: MachineState,
  key: string,
  output = '',
): MachineState {
  if (output.trim() === '') return state;
  return { ...state, outputs: { ...state.outputs, [key]: output } };
}

function withMade(state: MachineState, paths: readonly string[]): MachineState {
  const made = paths.map((path) => path.trim()).filter((path) => path !== '');
  if (made.length === 0) return state;
  const { currentStepArtefacts: current = [] } = state;
  return {
    ...state,
    artefacts: artefactsWith(state, made),
    currentStepArtefacts: unique([...current, ...made]),
  };
}
