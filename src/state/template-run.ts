import { markSkipped, unmarkSkipped, withoutPastFailure } from './phases.ts';
import type { PhaseStatus, Run, RunState, TemplateRun } from './types.ts';
import { slugOf } from '../text/slug.ts';
import { transitionInto } from '../machine/enter-step.ts';
import { digestsOf, settled } from './preserved.ts';
import { gatesOf } from '../machine/gates.ts';
import { loopsOf } from '../machine/position.ts';
import {
  cleanSummary,
  type ContextCommand,
  type InputValue,
  type MachineState,
} from '../machine/machine-state.ts';
import { WorkflowStateMachine } from '../machine/machine.ts';
import { contextActionOf } from './progress.ts';
import { requireUsable, templateRun, withState } from './run.ts';
import type { Template } from '../machine/template-types.generated.ts';
import { ownEntry } from '../text/json.ts';

/** A new run at the first step of its template that applies; `facts` is what else its conditions may look at. */
export function startTemplateRun(
  template: Template,
  summary: string | undefined,
  now: Date,
  options: {
    inputs?: Readonly<Record<string, InputValue>>;
    facts?: Partial<RunState>;
  } = {},
): RunState {
  const blank: RunState = {
    workflow: cleanSummary(summary) ?? template.name,
    workflow_type: typeOf(template),
    phase: {
      current: 1,
      total: template.steps.length,
      name: '',
      status: 'in_progress',
    },
    required_reading: [],
    created_at: now.toISOString(),
    status: 'in_progress',
    source: { kind: 'template' },
    template: { ...structuredClone(template) },
  };
  const machine = new WorkflowStateMachine(template, {
    ...blank,
    ...options.facts,
  });
  machine.start(summary, options.inputs);
  return stateWithMachine(blank, machine);
}

/** Null for a run without a template; throws if the run is broken. */
export function machineOf(run: Run): WorkflowStateMachine | null {
  const usable = requireUsable(run);
  if (usable.kind === 'phases') return null;
  const { template, machine, state } = usable;
  return WorkflowStateMachine.at(template, machine, state);
}

/** Null if the run has no template with commands. */
export function machineWithGates(run: Run): WorkflowStateMachine | null {
  const machine = machineOf(run);
  const hasGates = machine !== null && gatesOf(machine.template).length > 0;
  return hasGates ? machine : null;
}

/** The run where its machine has gone. */
export function withMachine(
  run: Run,
  machine: WorkflowStateMachine,
): TemplateRun {
  const state = stateWithMachine(run.state, machine);
  return templateRun({ ...run, state }, machine.template, machine.state);
}

/** The state with the machine's state, and with the phase and status that follow from it. */
export function stateWithMachine(
  before: RunState,
  machine: WorkflowStateMachine,
): RunState {
  const { template, state: at } = machine;
  const { steps } = template;
  const index = steps.findIndex(({ id }) => id === at.step);
  // The steps that were finished or skipped; none if the run stayed or went back.
  const from = steps.findIndex(({ id }) => id === before.machine?.['step']);
  const to = at.status === 'complete' ? steps.length : index;
  const left = from < 0 ? [] : steps.slice(from, Math.max(from, to));
  // A loop that was given an empty list of tasks has nothing to do: it is skipped.
  const loops = loopsOf(template);
  const state = left
    .filter(
      ({ id }) => ownEntry(at.tasks, loops.get(id)?.key ?? '')?.length === 0,
    )
    .filter(({ id }) => at.passedBy?.includes(id) !== true)
    .reduce(
      (marked, step) =>
        markSkipped(marked, steps.indexOf(step) + 1, 'no tasks'),
      before,
    );
  const phases = steps.map(({ phase, title, id }) => phase ?? title ?? id);
  // A run whose last step was skipped is complete, but that step is not.
  const isSkippedAtEnd =
    at.status === 'complete' &&
    Object.hasOwn(state.skipped ?? {}, String(steps.length));
  const mirrored: RunState = {
    ...withStatus(state, at),
    phase: {
      ...state.phase,
      current: index + 1,
      total: steps.length,
      name: phases[index] ?? '',
      status: isSkippedAtEnd ? 'not_started' : PHASE_STATUS[at.status],
    },
    phases,
  };
  const leftIds = left.map(({ id }) => id);
  const kept = settled(withoutPastMarks(mirrored, at), leftIds);
  const isEntered = state.machine?.['step'] !== at.step;
  const transition = isEntered
    ? transitionInto(template, at.step, at.cameFrom)
    : undefined;
  if (transition?.context !== 'clear' || transition.preserve === undefined)
    return { ...kept, machine: { ...at } };
  return {
    ...kept,
    machine: { ...at, notCarriedOver: [...digestsOf(state, at).values()] },
  };
}

/** A run that went back does its steps again, also those that were skipped; a failure counts only where it happened. */
function withoutPastMarks(state: RunState, at: MachineState): RunState {
  if (at.status === 'complete') {
    const { failure: _failure, ...finished } = state;
    return finished;
  }
  const moved = withoutPastFailure({ ...state, machine: { ...at } });
  return unmarkSkipped(moved, (phase) => phase < state.phase.current);
}

/** The run after an advance without files that the step should have left: they do not count as made. */
export function withoutArtefacts(
  run: TemplateRun,
  step: string,
  missing: readonly string[],
): Run {
  if (missing.length === 0) return run;
  const { artefacts } = run.machine;
  const made = (ownEntry(artefacts, step) ?? []).filter(
    (path) => !missing.includes(path),
  );
  const { [step]: _all, ...others } = artefacts;
  const kept = made.length === 0 ? others : { ...others, [step]: made };
  const machine = { ...run.machine, artefacts: kept };
  return withState(run, { ...run.state, machine });
}

/** The context action that is due, and the run in which it counts as requested. */
export function takeContextAction(
  run: Run,
  at: string,
): { run: Run; action: ContextCommand | null } {
  const machine = machineOf(run);
  const pending = contextActionOf(run);
  if (machine === null || pending?.state !== 'due')
    return { run, action: null };
  machine.markContextActionExecuted(at);
  const state = { ...run.state, machine: { ...machine.state } };
  return { run: withState(run, state), action: pending.command };
}

const PHASE_STATUS: Record<MachineState['status'], PhaseStatus> = {
  running: 'in_progress',
  complete: 'completed',
  failed: 'blocked',
};

function typeOf({ name }: Template): string {
  const slug = slugOf(name);
  if (slug === 'feature' || slug === 'bugfix') return 'implementation';
  return ['planning', 'qa-loop', 'implementation'].includes(slug)
    ? slug
    : 'custom';
}

/** A paused run stays paused, which its machine does not know about. */
function withStatus(
  state: RunState,
  { status, reason }: MachineState,
): RunState {
  const { status_reason: _reason, ...rest } = state;
  if (status === 'complete') return { ...rest, status: 'completed' };
  if (status === 'failed')
    return {
      ...rest,
      status,
      ...(reason === undefined ? {} : { status_reason: reason }),
    };
  return state.status === 'paused' ? state : { ...rest, status: 'in_progress' };
}
