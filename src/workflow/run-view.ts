import { HoldfastError } from '../errors/holdfast-error.ts';
import type { RunState } from '../state/types.ts';
import { checkedState } from './machine/check-state.ts';
import {
  contextActionState,
  performContextAction,
  transitionInto,
  type ContextActionState,
} from './machine/context-action.ts';
import type { MachineState } from './machine/machine-state.ts';
import { positionOf } from './machine/position.ts';
import { checkedSnapshot } from './template/snapshot.ts';
import { statusOf, type Status } from './machine/status.ts';
import type { ContextAction, Template } from './template/template-types.generated.ts';

/** What hooks have to know of a template run: they look at it, and see what happens to the conversation. */
export interface TemplateRun {
  template: Template;
  machine: MachineState;
}

/** A state is never changed in place: what was found sound stays so, and thousands of tasks are not checked again. */
const validated = new WeakMap<object, { view: TemplateRun; snapshot: unknown }>();

/** Null for a run without a template; a failure if what the file says of it cannot be. */
export function templateRunOf({ template, machine }: RunState): TemplateRun | null {
  if (template === undefined && machine === undefined) return null;
  const known = machine === undefined ? undefined : validated.get(machine);
  if (known !== undefined && known.snapshot === template) return known.view;
  const checked = checkedSnapshot(template);
  const view = { template: checked, machine: checkedState(checked, machine) };
  validated.set(view.machine, { view, snapshot: template });
  return view;
}

/** The run with what a move has made of a sound view. */
export function withTemplateRun(
  state: RunState,
  { template, machine: moved }: TemplateRun,
): RunState {
  const machine = { ...moved };
  validated.set(machine, { view: { template, machine }, snapshot: template });
  return { ...state, machine };
}

/** The step for a text about the run; where it cannot be read, why. */
export type StepView =
  | {
      kind: 'step';
      status: Status;
      action: ContextActionState | null;
      machine: MachineState;
      /** After a clear that the template asked for, only what that preserves goes on, and what came since. */
      carries: 'all' | 'preserved';
      /** Whether an output was made since the step was entered. */
      isOfThisEntry: (output: string) => boolean;
    }
  | { kind: 'broken'; why: string };

export function stepView(state: RunState): StepView | null {
  try {
    const view = templateRunOf(state);
    if (view === null) return null;
    const { template, machine } = view;
    return {
      kind: 'step',
      status: statusOf(template, machine),
      action: contextActionState(machine),
      machine,
      carries: carriesOnlyPreserved(template, machine) ? 'preserved' : 'all',
      isOfThisEntry: (output) => isOfThisEntry(view, output),
    };
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    return { kind: 'broken', why: wordsFor(error) };
  }
}

/** Whether the step was entered by a clear, over which nothing goes but what it preserves. */
export function carriesOnlyPreserved(template: Template, machine: MachineState): boolean {
  const came = transitionInto(template, machine.step, machine.cameFrom);
  return came?.context === 'clear' && machine.preserved !== undefined;
}

/** Those of earlier iterations, and of the tasks that were begun. */
function isOfThisEntry({ template, machine }: TemplateRun, output: string): boolean {
  const place = positionOf(template, machine);
  const { id } = place.step;
  if (place.kind === 'ralph')
    return Array.from({ length: place.iteration - 1 }, (_, i) => `${id}.${i + 1}`).includes(output);
  if (place.kind !== 'task') return false;
  return place.tasks.some(
    (task) => task.status !== 'pending' && output.startsWith(`${id}.${task.id}.`),
  );
}

/** In words of its own: a hook has no sentences for what is wrong with a run. */
function wordsFor({ failure, message }: HoldfastError): string {
  return failure.code === 'broken_run' ? `${failure.field} must be ${failure.expected}` : message;
}

/** Where a run of a template stands, in words; null for any other, and where that cannot be told. */
export function stepLabel(state: RunState): string | null {
  const view = stepView(state);
  return view?.kind === 'step' ? view.status.progress.text : null;
}

/** Whether the run waits for its conversation to be compacted or cleared. */
export function awaitsContext(state: RunState): boolean {
  const view = stepView(state);
  return (
    view?.kind === 'step' && (view.action?.state === 'due' || view.action?.state === 'requested')
  );
}

export function contextActionOf(state: RunState): ContextActionState | null {
  const view = templateRunOf(state);
  return view === null ? null : contextActionState(view.machine);
}

/** The conversation of the session that holds the run was compacted or cleared. A broken run is left as it is. */
export function contextActionHappened(state: RunState, what: ContextAction, at: string): RunState {
  if (!awaitsContext(state)) return state;
  const view = templateRunOf(state);
  if (view === null) return state;
  const machine = performContextAction(view.machine, what, at);
  return machine === view.machine ? state : withTemplateRun(state, { ...view, machine });
}
