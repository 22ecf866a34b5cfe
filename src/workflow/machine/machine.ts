import { HoldfastError } from '../../errors/holdfast-error.ts';
import { sanitizeLine, truncate } from '../../util/sanitize.ts';
import { checkedState } from './check-state.ts';
import {
  contextActionState,
  performContextAction,
  requestContextAction,
  type ContextActionState,
} from './context-action.ts';
import { giveTasks } from './set-tasks.ts';
import type { ContextCommand, MachineState } from './machine-state.ts';
import { advance, start, fail, reopen, type FailOutcome } from './transitions.ts';
import { pivot } from './pivot.ts';
import { statusOf, type Status } from './status.ts';
import type { GivenTask } from './tasks.ts';
import type { ContextAction, Template } from '../template/template-types.generated.ts';

/** Walks a run through the steps of its template. It knows neither files nor the time. */
export class WorkflowStateMachine {
  #state: MachineState | null = null;

  /** `template` has been validated. */
  constructor(readonly template: Template) {}

  /** The machine at a state that was saved; what in it does not fit the template is named in the failure. */
  static fromState(template: Template, state: unknown): WorkflowStateMachine {
    const machine = new WorkflowStateMachine(template);
    machine.#state = structuredClone(checkedState(template, state));
    return machine;
  }

  /** The machine at a state that fits its template and that nobody changes: it is neither checked nor copied. */
  static at(template: Template, state: MachineState): WorkflowStateMachine {
    const machine = new WorkflowStateMachine(template);
    machine.#state = state;
    return machine;
  }

  start(summary?: string): void {
    this.#state ??= start(this.template, summary);
  }

  advance(output?: string, artefacts: readonly string[] = []): void {
    this.#state = advance(this.template, this.#running(), output, artefacts);
  }

  /** What `on_fail` of the present (sub-)step made of it. */
  fail(reason: string): FailOutcome {
    const { state, outcome } = fail(this.template, this.#running(), reason);
    this.#state = state;
    return outcome;
  }

  /** `id` is that of a loop, or of a step that walks one. */
  setTasks(id: string, tasks: readonly GivenTask[]): void {
    this.#state = giveTasks(this.template, this.#running(), id, tasks);
  }

  /** Back to an earlier step, whose work is to be done again. */
  pivot(step: string): void {
    this.#state = pivot(this.template, this.#running(), step);
  }

  /** A failed run goes on where it stopped. */
  reopen(): void {
    const state = this.#started();
    this.#state = state.status === 'failed' ? reopen(state) : this.#running();
  }

  getStatus(): Status {
    return statusOf(this.template, this.#started());
  }

  getState(): MachineState {
    return structuredClone(this.#started());
  }

  /** For a look: not a copy, which takes its time with thousands of tasks. */
  get state(): Readonly<MachineState> {
    return this.#started();
  }

  /** The command that comes before the present entry and has not been asked for yet. */
  getContextActionIfNeeded(): ContextCommand | null {
    const action = this.getContextActionState();
    return action?.state === 'due' ? action.command : null;
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
      throw new HoldfastError({ code: 'not_started', workflow: this.template.name });
    return this.#state;
  }

  #running(): MachineState {
    const state = this.#started();
    const { status, reason = '' } = state;
    if (status === 'running') return state;
    throw new HoldfastError({
      code: 'workflow_over',
      workflow: this.template.name,
      status,
      reason: truncate(sanitizeLine(reason), 200),
    });
  }
}
