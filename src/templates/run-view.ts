import type { RunState, StoredRun } from '../state/types.ts';
import { drivenClient } from '../sessions/client-process.ts';
import { skippedPhases } from '../state/phases.ts';
import { checkedSnapshot, checkedState } from './machine/check-state.ts';
import {
  contextActionState,
  performContextAction,
  type ContextActionState,
} from './machine/enter-step.ts';
import { DEFAULT_RETRIES, type MachineState } from './machine/machine-state.ts';
import {
  BrokenRun,
  isGuarded,
  placeOf,
  type Position,
} from './machine/position.ts';
import { statusOf, type Status } from './machine/status.ts';
import { waitId } from './machine/wait.ts';
import type { ContextAction, Template } from './template-types.generated.ts';
import { maxPivots } from './machine/pivot.ts';

/** One execution of a workflow, with everything in its state file checked. */
export type Run = PhaseRun | TemplateRun;

/** Moves through phases that a person, an agent or a source named. */
export type PhaseRun = { kind: 'phases'; state: RunState };

/** Moves through the steps of a template, of which the state file has a copy. */
export interface TemplateRun {
  kind: 'template';
  state: RunState;
  template: Template;
  machine: MachineState;
  /** Null once the machine is complete. */
  place: Position | null;
  status: Status;
  action: ContextActionState | null;
}

export type UnusableRun = { kind: 'broken'; error: BrokenRun };

/** A state is never changed in place, so each is checked once, however many tasks it has. */
const parsed = new WeakMap<RunState, Run>();

/** Throws `broken_run` if the template or the machine in the state file are not usable. */
export function parseRun(state: RunState): Run {
  const run = parsed.get(state) ?? parse(state);
  parsed.set(state, run);
  return run;
}

function parse(state: RunState): Run {
  if (state.template === undefined && state.machine === undefined)
    return { kind: 'phases', state };
  const template = checkedSnapshot(state.template);
  const machine = checkedState(template, state.machine);
  const place = placeOf(template, machine);
  // A run that was ended before its last step has nothing to do, although its machine does not know that it is over.
  const isOver = state.status === 'completed' || state.status === 'cancelled';
  return {
    kind: 'template',
    state,
    template,
    machine,
    place,
    status: statusOf({ template, facts: state }, machine, place, isOver),
    action: isOver ? null : contextActionState(machine),
  };
}

/** For callers that go on with a broken run, such as hooks and reports. */
export function inspectRun(state: RunState): Run | UnusableRun {
  try {
    return parseRun(state);
  } catch (error) {
    if (!(error instanceof BrokenRun)) throw error;
    return { kind: 'broken', error };
  }
}

/** Null for a run without a template, and for a broken one. */
function templateRun(state: RunState): TemplateRun | null {
  const run = inspectRun(state);
  return run.kind === 'template' ? run : null;
}

/** Null also for a template run that is complete or failed. */
function runningRun(state: RunState): TemplateRun | null {
  const run = templateRun(state);
  return run?.machine.status === 'running' ? run : null;
}

/** The progress of a template run in words; null for any other run, and for a broken one. */
export const stepLabel = (state: RunState): string | null =>
  templateRun(state)?.status.progress.text ?? null;

/** Throws if the run is broken. */
export function contextActionOf(state: RunState): ContextActionState | null {
  const run = parseRun(state);
  return run.kind === 'template' ? run.action : null;
}

/** The action that the run waits for: it was neither performed nor is there none. */
const awaitedAction = (run: TemplateRun | null): ContextActionState | null =>
  run === null || run.action?.state === 'performed' ? null : run.action;

export const awaitsContext = (state: RunState): boolean =>
  awaitedAction(templateRun(state)) !== null;

/** The conversation of the session that holds the run was compacted or cleared. A broken run stays as it is. */
export function contextActionHappened(
  state: RunState,
  action: ContextAction,
  at: string,
) {
  const run = templateRun(state);
  if (run === null || awaitedAction(run) === null) return state;
  const machine = performContextAction(run.machine, action, at);
  return machine === run.machine
    ? state
    : { ...state, machine: { ...machine } };
}

/** Whether the conversation was compacted or cleared at that time because the current step begins so. */
export function hasBegunStepAt(state: RunState, time: string): boolean {
  const { machine, place } = runningRun(state) ?? {};
  if (machine?.contextAction?.performedAt !== time) return false;
  if (place?.kind === 'ralph') return place.iteration === 1;
  if (place?.kind !== 'task') return true;
  const isFirst = place.tasks.every(
    ({ status }, index) => index === place.taskIndex || status === 'pending',
  );
  return place.subIndex === 0 && isFirst;
}

/** What has to happen before the current step can be worked on or finished. */
export type Wait =
  | { for: 'approval'; id: string }
  | { for: 'tasks'; loop: string }
  | { for: 'context'; action: ContextActionState };

/** Null if the run waits for nothing, has no template, or is broken. */
export function waitOf(state: RunState): Wait | null {
  const run = runningRun(state);
  if (run?.place?.kind === 'approval')
    return { for: 'approval', id: waitId({ facts: state }, run.machine) };
  if (run?.place?.kind === 'waiting')
    return { for: 'tasks', loop: run.place.loop.key };
  const action = awaitedAction(run);
  return action === null ? null : { for: 'context', action };
}

/** Whether `skip` may leave the current phase or step: it bypasses neither a gate nor an approval. */
export function isSkippable(state: RunState): boolean {
  const { template, place } = templateRun(state) ?? {};
  if (template === undefined || !place) return true;
  return place.kind !== 'approval' && !isGuarded(template, place.step);
}

/** The steps that the run has passed by because their conditions were false, each with the number of its phase. */
export function passedBySteps(
  state: RunState,
): { id: string; phase: number; when: string }[] {
  const { template, machine } = templateRun(state) ?? {};
  const passed = new Set(machine?.passedBy);
  return (template?.steps ?? []).flatMap(({ id, when = '' }, index) =>
    passed.has(id) ? [{ id, phase: index + 1, when }] : [],
  );
}

export type PhaseState = 'done' | 'current' | 'open' | 'skipped' | 'passed';

/** How a phase stands, by its number. A run can end before all of its phases are done. */
export function phaseStates(state: RunState): (n: number) => PhaseState {
  const { phase, status } = state;
  const skipped = new Set(skippedPhases(state).map((entry) => entry.phase));
  const passed = new Set(passedBySteps(state).map((step) => step.phase));
  const undone = new Set(state.undone);
  const isCurrentDone =
    phase.status === 'completed' ||
    (status === 'completed' && state.ended_early === undefined);
  return (n) => {
    if (skipped.has(n)) return 'skipped';
    if (passed.has(n)) return 'passed';
    if (n === phase.current) return isCurrentDone ? 'done' : 'current';
    return n < phase.current && !undone.has(n) ? 'done' : 'open';
  };
}

/** The name of the template that drives the run; null for a run without one. */
export function templateNameOf({ template }: RunState): string | null {
  const name = template?.['name'];
  return typeof name === 'string' && name.trim() !== '' ? name : null;
}

/** How often the current step of a template run is tried in all; null if it is not tried again. */
export function triesAllowed(state: RunState): number | null {
  const run = runningRun(state);
  const isRetried = (run?.machine.retries ?? 0) > 0;
  return isRetried ? 1 + (run?.template.max_retries ?? DEFAULT_RETRIES) : null;
}

/** How often a running template run was sent back, and how often it may be; null for any other run. */
export function pivotsOf(
  state: RunState,
): { made: number; max: number } | null {
  const run = runningRun(state);
  return run && { made: run.machine.pivots ?? 0, max: maxPivots(run.template) };
}

export function isOutOfPivots(state: RunState): boolean {
  const pivots = pivotsOf(state);
  return pivots !== null && pivots.made >= pivots.max;
}

/** Whether the run is blocked because it cannot be sent back any more. */
export const isPivotRefused = (state: RunState): boolean =>
  state.phase.status === 'blocked' && isOutOfPivots(state);

/** Why such a run is blocked. */
export function pivotRefusal(state: RunState): string {
  const { made = 0 } = pivotsOf(state) ?? {};
  return `the work was sent back ${made === 1 ? 'once' : `${made} times`}, which is all that its template allows`;
}

/** Whether a driven agent ends its turn: the next step begins in a conversation that only the driver can start. */
export function mustEndTurn(
  environment: NodeJS.ProcessEnv,
  { runId, state }: StoredRun,
): boolean {
  const driven = drivenClient(environment);
  const run = driven?.runId === runId ? runningRun(state) : null;
  if (driven === null || run === null) return false;
  return awaitedAction(run) !== null || run.status.agent !== driven.agent;
}
