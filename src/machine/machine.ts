import { HoldfastError } from '../text/holdfast-error.ts';
import { asWord, quoted } from '../text/sanitize.ts';
import { checkedState } from './check-state.ts';
import {
  artefactsWith,
  contextActionState,
  declaredArtefacts,
  enter,
  enterNextTask,
  enterStep,
  performContextAction,
  unique,
} from './enter-step.ts';
import {
  cleanSummary,
  DEFAULT_RETRIES,
  runArgument,
  type InputValue,
  type MachineState,
  type RunFacts,
  type Task,
} from './machine-state.ts';
import { approvalPending, pivot, rejectionTarget } from './pivot.ts';
import {
  BrokenRunError,
  isGuarded,
  loopsOf,
  onFailAt,
  placeOf,
  positionOf,
  type Position,
  type TaskPosition,
} from './position.ts';
import { statusOf, type Status } from './status.ts';
import { giveTasks, type GivenTask } from './tasks.ts';
import { withAnswer } from './wait.ts';
import type {
  ContextAction,
  OnFail,
  Template,
} from './template-types.generated.ts';
import { ownEntry } from '../text/json.ts';

const MAX_REASON = 200;

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
    const blank: MachineState = {
      status: 'running',
      step: first.id,
      stepType: first.type,
      ...(Object.keys(inputs).length === 0 ? {} : { inputs: { ...inputs } }),
      tasks: {},
      outputs: {},
      ...(about === undefined ? {} : { summary: about }),
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
    const { step } = place;
    if (place.kind === 'approval') throw approvalPending(this, this.state);
    if (place.kind === 'waiting') {
      const { key } = place.loop;
      const empty = isGuarded(this.template, step)
        ? ''
        : '; an empty list skips the step';
      throw new HoldfastError(
        'waiting_for_tasks',
        `this step needs the tasks of "${key}"`,
        {
          hint: `set them with \`holdfast tasks ${key}${runArgument(this.facts, '--run ')}\` or the tool workflow_set_tasks${empty}`,
          toolHint: `set them with workflow_set_tasks (loop_id "${key}")${empty}`,
        },
      );
    }
    const handedOn = (key: string): MachineState =>
      withMade(withOutput(this.state, `${step.id}${key}`, output), artefacts);
    if (place.kind === 'action') {
      this.#state = this.#finishStep(handedOn(''), place);
    } else if (place.kind === 'ralph') {
      const { iteration } = place;
      const current = handedOn(`.${iteration}`);
      this.#state =
        iteration < place.total && !isUntilMet
          ? enter(
              this.template,
              { ...current, ralphIteration: iteration + 1 },
              step,
            )
          : this.#finishStep(current, place);
    } else {
      const current = handedOn(`.${place.task.id}.${place.subStep.id}`);
      const next = place.loop.subSteps[place.subIndex + 1];
      this.#state =
        next === undefined
          ? this.#finishTask(current, place, { status: 'done' })
          : enter(this.template, { ...current, subStep: next.id }, step, next);
    }
  }

  /** The user accepts what an approval step shows; the note is kept as the step's output. */
  approve(note?: string): void {
    const place = this.#approval();
    const answered = withAnswer(this, this.state, 'approved');
    this.#state = this.#finishStep(
      withOutput(answered, place.step.id, note),
      place,
    );
  }

  /** The user sends the work of an approval step back; returns the step that has to be done again. */
  reject(): string {
    this.#approval();
    const answered = withAnswer(this, this.state, 'rejected');
    const to = rejectionTarget(this, answered);
    this.#state = pivot(this, answered, to);
    return to;
  }

  fail(reason: string): FailOutcome {
    const { template, state } = this;
    const place = this.#position();
    // `on_fail: skip` must not get past an approval.
    if (place.kind === 'approval') throw approvalPending(this, state);
    const why = reason.trim();
    const abort = (outcome: Partial<FailOutcome>): FailOutcome => {
      this.#state = {
        ...state,
        status: 'failed',
        ...(why === '' ? {} : { reason: why }),
      };
      return { outcome: 'abort', ...outcome };
    };
    const outcome = onFailAt(place);
    if (outcome === 'abort') return abort({});
    if (outcome === 'skip') {
      const isTask = place.kind === 'task';
      const skipped = isTask
        ? this.#finishTask(state, place, { status: 'failed', reason: why })
        : enterStep(this, state, place.index + 1, place.step.id);
      const isGated = isTask
        ? place.step.gate !== undefined
        : isGuarded(template, place.step);
      if (isGated && isStepLeft(state, skipped)) return abort({ gated: true });
      this.#state = skipped;
      return { outcome };
    }
    const { max_retries: of = DEFAULT_RETRIES } = template;
    const { retries = 0 } = state;
    if (retries >= of) return abort({ attempt: retries, of });
    this.#state = { ...state, retries: retries + 1 };
    return { outcome, attempt: retries + 1, of };
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
    this.#state = enterStep(
      this,
      withTaskLeft(this.state, 'failed'),
      index + 1,
      step.id,
    );
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
    const entered = this.template.steps
      .map((_, index) =>
        enterStep(this, { ...state, status: 'running' }, index),
      )
      .findLast(({ status }) => status === 'running');
    this.#state = entered ?? this.#running();
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
    throw new HoldfastError(
      'not_started',
      `${quoted(this.template.name)} has not been started`,
      {
        hint: 'start it first',
      },
    );
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
    const isTimed = action !== undefined && at !== undefined;
    const requested = isTimed
      ? { contextAction: { ...action, requestedAt: at } }
      : {};
    this.#state = { ...this.state, contextActionExecuted: true, ...requested };
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
    const why = reason === '' ? '' : ` (${asWord(reason, MAX_REASON)})`;
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

  #finishTask(
    state: MachineState,
    place: TaskPosition,
    end: Pick<Task, 'status' | 'reason'>,
  ) {
    const tasks = place.tasks.with(place.taskIndex, { ...place.task, ...end });
    const next = {
      ...state,
      tasks: { ...state.tasks, [place.loop.key]: tasks },
    };
    return (
      enterNextTask(this.template, next, place.step) ??
      this.#finishStep(next, place)
    );
  }

  /** A step that was finished has made what it declares; one that was skipped has not. */
  #finishStep(state: MachineState, { index, step }: Position): MachineState {
    const made = {
      ...state,
      artefacts: artefactsWith(state, declaredArtefacts(step)),
    };
    return enterStep(this, made, index + 1, step.id);
  }
}

/** `step` is null in a run without a template. */
export function noApproval(step: string | null, run: unknown): HoldfastError {
  const facts = { run_id: run };
  const [where, back] =
    step === null
      ? ['this run has no template', '']
      : [
          `step "${step}" is not an approval step`,
          `, or go back with \`holdfast pivot <step> --feedback "…"${runArgument(facts, '--run ')}\``,
        ];
  return new HoldfastError(
    'no_approval',
    `${where}, so there is nothing to approve or reject`,
    {
      hint: `continue with \`holdfast advance${runArgument(facts)}\`${back}`,
    },
  );
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
  const tasks =
    ownEntry(after.tasks, loopsOf(template).get(before.step)?.key ?? '') ?? [];
  return (
    isStepLeft(before, after) && tasks.every(({ status }) => status !== 'done')
  );
}

function withTaskLeft(
  state: MachineState,
  status: Task['status'],
): MachineState {
  const left = (task: Task): Task =>
    task.status === 'in_progress' ? { ...task, status } : task;
  const tasks = Object.entries(state.tasks).map(([key, list]) => [
    key,
    list.map(left),
  ]);
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
  return output.trim() === ''
    ? state
    : { ...state, outputs: { ...state.outputs, [key]: output } };
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
