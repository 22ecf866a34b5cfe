import { withoutPastFailure } from './failure.ts';
import { markSkipped, unmarkSkipped } from './phases.ts';
import type { PhaseStatus, Run, RunState, TemplateRun } from './types.ts';
import { slugOf } from '../text/slug.ts';
import { transitionInto } from '../machine/context-action.ts';
import { settled } from './feedback.ts';
import { digestsOf } from './preserved.ts';
import { gatesOf } from '../machine/gates.ts';
import { loopsOf } from '../machine/position.ts';
import {
  cleanSummary,
  type ContextCommand,
  type InputValue,
  type MachineState,
} from '../machine/machine-state.ts';
import { WorkflowStateMachine } from '../machine/machine.ts';
import { requireUsable, templateRun, withMachineState } from './run.ts';
import type { Step, Template } from '../machine/template-types.generated.ts';
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
  const { state, at } = follow(run.state, machine);
  return templateRun({ ...run, state }, machine.template, at);
}

/** The same for a state that is no stored run. */
export function stateWithMachine(
  before: RunState,
  machine: WorkflowStateMachine,
): RunState {
  return follow(before, machine).state;
}

/** The state with the machine's state, and with the phase and status that follow from it. */
function follow(
  before: RunState,
  { template, state: at }: WorkflowStateMachine,
): { state: RunState; at: MachineState } {
  const left = stepsLeft(before, template, at);
  const state = skipEmptyLoops(before, template, at, left);
  const mirrored = {
    ...withStatus(state, at),
    ...phasesAt(state, template, at),
  };
  const leftIds = left.map(({ id }) => id);
  const kept = settled(withoutPastMarks(mirrored, at), leftIds);
  const next = leavesOutputsBehind(state, template, at)
    ? { ...at, notCarriedOver: [...digestsOf(state, at).values()] }
    : { ...at };
  return { state: { ...kept, machine: next }, at: next };
}

/** The steps that were finished or skipped; none if the run stayed or went back. */
function stepsLeft(
  before: RunState,
  { steps }: Template,
  at: MachineState,
): Step[] {
  const from = steps.findIndex(({ id }) => id === before.machine?.['step']);
  const to =
    at.status === 'complete'
      ? steps.length
      : steps.findIndex(({ id }) => id === at.step);
  return from < 0 ? [] : steps.slice(from, Math.max(from, to));
}

/** A loop that was given an empty list of tasks has nothing to do: it is skipped. */
function skipEmptyLoops(
  state: RunState,
  template: Template,
  at: MachineState,
  left: readonly Step[],
): RunState {
  const loops = loopsOf(template);
  let marked = state;
  for (const step of left) {
    const tasks = ownEntry(at.tasks, loops.get(step.id)?.key ?? '');
    const isPassedBy = at.passedBy?.includes(step.id) === true;
    if (tasks?.length !== 0 || isPassedBy) continue;
    const number = template.steps.indexOf(step) + 1;
    marked = markSkipped(marked, number, 'no tasks');
  }
  return marked;
}

/** The steps of a template are the phases of its run. */
function phasesAt(
  state: RunState,
  { steps }: Template,
  at: MachineState,
): Pick<RunState, 'phase' | 'phases'> {
  const index = steps.findIndex(({ id }) => id === at.step);
  const phases = steps.map(({ phase, title, id }) => phase ?? title ?? id);
  // A run whose last step was skipped is complete, but that step is not.
  const isSkippedAtEnd =
    at.status === 'complete' &&
    Object.hasOwn(state.skipped ?? {}, String(steps.length));
  // A step that waited for the user's word has begun with any move of the machine.
  const { waits_since: _waits, ...before } = state.phase;
  return {
    phase: {
      ...before,
      current: index + 1,
      total: steps.length,
      name: phases[index] ?? '',
      status: isSkippedAtEnd ? 'not_started' : PHASE_STATUS[at.status],
    },
    phases,
  };
}

/** Whether the step that was entered begins with a clear that says what it preserves: the rest does not come along. */
function leavesOutputsBehind(
  before: RunState,
  template: Template,
  at: MachineState,
): boolean {
  if (before.machine?.['step'] === at.step) return false;
  const transition = transitionInto(template, at.step, at.cameFrom);
  return transition?.context === 'clear' && transition.preserve !== undefined;
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
  return withMachineState(run, { ...run.machine, artefacts: kept });
}

/** The context action that is due, and the run in which it counts as requested. */
export function takeContextAction(
  run: Run,
  at: string,
): { run: Run; action: ContextCommand | null } {
  const usable = requireUsable(run);
  if (usable.kind === 'phases' || usable.action?.state !== 'due')
    return { run, action: null };
  const { template, machine, state, action } = usable;
  const requested = WorkflowStateMachine.at(template, machine, state);
  requested.markContextActionExecuted(at);
  return {
    run: withMachineState(usable, requested.state),
    action: action.command,
  };
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
