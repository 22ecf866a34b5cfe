import { HoldfastError } from '../../text/holdfast-error.ts';
import { sanitizeLine, truncate } from '../../text/sanitize.ts';
import { checkedState } from './check-state.ts';
import {
  contextActionState,
  performContextAction,
  requestContextAction,
  type ContextActionState,
} from './context-action.ts';
import type { InputValue, MachineState, RunFacts } from './machine-state.ts';
import { enterStep } from './enter-step.ts';
import { pivot, rejectionTarget } from './pivot.ts';
import { positionOf } from './position.ts';
import {
  advance,
  approve,
  fail,
  reopen,
  requireApproval,
  skipStep,
  start,
  type FailOutcome,
} from './transitions.ts';
import { statusOf, type Status } from './status.ts';
import { giveTasks, type GivenTask } from './tasks.ts';
import type { ContextAction, Template } from '../template-types.generated.ts';

/** Walks a run through the steps of its template. It reads neither files nor the clock. */
export class WorkflowStateMachine {
  #state: MachineState | null = null;

  /** `template` has been validated; `facts` is the run that `when` conditions look at. */
  constructor(
    readonly template: Template,
    readonly facts: RunFacts = {},
  ) {}

  /** The machine at a saved state. Throws `broken_run` if the state does not fit the template. */
  static fromState(template: Template, state: unknown, facts: RunFacts = {}): WorkflowStateMachine {
    const checked = structuredClone(checkedState(template, state));
    return WorkflowStateMachine.at(template, checked, facts);
  }

  /** The machine at a state that was checked before and that nobody changes in place, so it is not copied. */
  static at(template: Template, state: MachineState, facts: RunFacts = {}): WorkflowStateMachine {
    const machine = new WorkflowStateMachine(template, facts);
    machine.#state = state;
    return machine;
  }

  start(summary?: string, inputs: Readonly<Record<string, InputValue>> = {}): void {
    this.#state ??= start(this, summary, inputs);
  }

  /** `isUntilMet`: the `until` command of a ralph step has ended its iterations. */
  advance(output?: string, artefacts: readonly string[] = [], isUntilMet = false): void {
    this.#state = advance(this, this.#running(), { output, artefacts, isUntilMet });
  }

  /** The user accepts what an approval step shows. */
  approve(note?: string): void {
    this.#state = approve(this, this.#running(), note);
  }

  /** The user sends the work of an approval step back; returns the step that has to be done again. */
  reject(): string {
    const state = this.#running();
    requireApproval(this.facts, positionOf(this.template, state));
    const to = rejectionTarget(this, state);
    this.#state = pivot(this, state, to);
    return to;
  }

  /** Returns what `on_fail` of the current (sub-)step decided. */
  fail(reason: string): FailOutcome {
    const { state, outcome } = fail(this, this.#running(), reason);
    this.#state = state;
    return outcome;
  }

  /** Leaves the whole current step undone. */
  skip(): void {
    this.#state = skipStep(this, this.#running());
  }

  /** `id` names a loop, or a step that walks one. */
  setTasks(id: string, tasks: readonly GivenTask[]): void {
    this.#state = giveTasks(this, this.#running(), id, tasks);
  }

  /** Goes back to an earlier step, whose work has to be done again. */
  pivot(step: string): void {
    this.#state = pivot(this, this.#running(), step);
  }

  /** A failed run goes on where it stopped; a complete one enters its last step again that has something to do. */
  reopen(): void {
    const state = this.#started();
    if (state.status === 'failed') this.#state = reopen(state);
    else if (state.status === 'complete') this.#state = this.#reentered(state) ?? this.#running();
  }

  #reentered(state: MachineState): MachineState | undefined {
    return this.template.steps
      .map((_, index) => enterStep(this, { ...state, status: 'running' }, index))
      .findLast(({ status }) => status === 'running');
  }

  getStatus(): Status {
    return statusOf(this, this.#started());
  }

  getState(): MachineState {
    return structuredClone(this.#started());
  }

  /** Not a copy, which would be slow with thousands of tasks. */
  get state(): Readonly<MachineState> {
    return this.#started();
  }

  /** The context action of the current entry, if it has not been requested yet. */
  getContextActionIfNeeded(): ContextAction | null {
    const action = this.getContextActionState();
    if (action?.state !== 'due') return null;
    return action.command === '/clear' ? 'clear' : 'compact';
  }

  getContextActionState(): ContextActionState | null {
    return contextActionState(this.#started());
  }

  markContextActionExecuted(at?: string): void {
    this.#state = requestContextAction(this.#started(), at);
  }

  /** The conversation was compacted or cleared, on request or not. */
  performContextAction(happened: ContextAction, at: string): void {
    this.#state = performContextAction(this.#started(), happened, at);
  }

  #started(): MachineState {
    if (this.#state === null)
      throw new HoldfastError('not_started', `"${this.template.name}" has not been started`, {
        hint: 'start it first',
      });
    return this.#state;
  }

  #running(): MachineState {
    const state = this.#started();
    const { status, reason = '' } = state;
    if (status === 'running') return state;
    const name = `"${this.template.name}"`;
    if (status === 'complete')
      throw new HoldfastError('workflow_over', `${name} is complete; it has no steps left`, {
        hint: 'start another run with `holdfast start`',
        toolHint: 'start another with workflow_start',
      });
    const why = reason === '' ? '' : ` (${truncate(sanitizeLine(reason), 200)})`;
    throw new HoldfastError('workflow_over', `${name} has failed${why}`, {
      hint: 'retry the same step with `holdfast resume <run>`',
    });
  }
}
