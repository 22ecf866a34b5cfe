import { HoldfastError } from '../errors.ts';
import { feedbackLines } from '../guidance/feedback.ts';
import { oneLine, withoutFeedbackTags } from '../guidance/plain.ts';
import type { RunState } from '../state/types.ts';
import { checkedState } from './check-state.ts';
import {
  contextActionState,
  performContextAction,
  transitionInto,
  type ContextActionState,
} from './context-action.ts';
import { openFeedback } from './feedback.ts';
import type { MachineState } from './machine-state.ts';
import { placeOf } from './place.ts';
import { checkedSnapshot } from './snapshot.ts';
import { statusOf, type Status } from './status.ts';
import type { ContextAction, Template } from './template-types.generated.ts';

/** What hooks have to know of a template run: they look at it, and see what happens to the conversation. */
export interface View {
  template: Template;
  machine: MachineState;
}

/** A state is never changed in place: what was found sound stays so, and thousands of tasks are not checked again. */
const sound = new WeakMap<object, { view: View; snapshot: unknown }>();

/** Null for a run without a template; a failure if what the file says of it cannot be. */
export function viewOf({ template, machine }: RunState): View | null {
  if (template === undefined && machine === undefined) return null;
  const known = machine === undefined ? undefined : sound.get(machine);
  if (known !== undefined && known.snapshot === template) return known.view;
  const checked = checkedSnapshot(template);
  const view = { template: checked, machine: checkedState(checked, machine) };
  sound.set(view.machine, { view, snapshot: template });
  return view;
}

/** The run with what a move has made of a sound view. */
export function withView(state: RunState, { template, machine: moved }: View): RunState {
  const machine = { ...moved };
  sound.set(machine, { view: { template, machine }, snapshot: template });
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
    const view = viewOf(state);
    if (view === null) return null;
    const { template, machine } = view;
    return {
      kind: 'step',
      status: statusOf(template, machine),
      action: contextActionState(machine),
      machine,
      carries: carriesOnly(template, machine) ? 'preserved' : 'all',
      isOfThisEntry: (output) => isOfThisEntry(view, output),
    };
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    return { kind: 'broken', why: wordsFor(error) };
  }
}

/** Whether the step was entered by a clear, over which nothing goes but what it preserves. */
export function carriesOnly(template: Template, machine: MachineState): boolean {
  const came = transitionInto(template, machine.step, machine.cameFrom);
  return came?.context === 'clear' && machine.preserved !== undefined;
}

/** Those of earlier iterations, and of the tasks that were begun. */
function isOfThisEntry({ template, machine }: View, output: string): boolean {
  const place = placeOf(template, machine);
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
export function stepWords(state: RunState): string | null {
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

export function stepStatus(state: RunState): Status | null {
  const view = viewOf(state);
  return view === null ? null : withOpenFeedback(state, statusOf(view.template, view.machine));
}

const MAX_FEEDBACK = 8_000;

/** The status as it is told: what the step was sent back with belongs to its instructions. */
export function withOpenFeedback(state: RunState, status: Status): Status {
  const open = status.status === 'running' ? openFeedback(state, status.step) : [];
  const asked = withoutFeedbackTags(status.instructions);
  if (open.length === 0) return { ...status, instructions: asked };
  const max = Math.floor(MAX_FEEDBACK / open.length);
  const told = open.map((entry) =>
    feedbackLines(entry, max, `holdfast show ${oneLine(state.run_id ?? '<run>')}`).join('\n'),
  );
  return { ...status, instructions: [asked.trimEnd(), ...told].join('\n\n') };
}

export function contextActionOf(state: RunState): ContextActionState | null {
  const view = viewOf(state);
  return view === null ? null : contextActionState(view.machine);
}

/** The conversation of the session that holds the run was compacted or cleared. A broken run is left as it is. */
export function happened(state: RunState, what: ContextAction, at: string): RunState {
  if (!awaitsContext(state)) return state;
  const view = viewOf(state);
  if (view === null) return state;
  const machine = performContextAction(view.machine, what, at);
  return machine === view.machine ? state : withView(state, { ...view, machine });
}
