import {
  performContextAction,
  type ContextActionState,
} from '../machine/context-action.ts';
import { DEFAULT_RETRIES } from '../machine/machine-state.ts';
import { maxPivots } from '../machine/send-back.ts';
import { isGuarded } from '../machine/position.ts';
import type { ContextAction } from '../machine/template-types.generated.ts';
import { waitId } from '../machine/wait.ts';
import { skippedPhases } from './phases.ts';
import { requireUsable, withMachineState } from './run.ts';
import type { Run, RunState, TemplateRun } from './types.ts';

// Where a run stands, what it waits for, and what of it is done.

/** Null for a run that has no template, that is broken, or whose machine is complete or failed. */
function runningMachine(run: Run): TemplateRun | null {
  const isRunning = run.kind === 'template' && run.machine.status === 'running';
  return isRunning ? run : null;
}

/** The progress of a template run in words; null for any other run, and for a broken one. */
export function stepLabel(run: Run): string | null {
  return run.kind === 'template' ? run.status.progress.text : null;
}

/** What has to happen before the current step can be worked on or finished. */
export type Wait =
  | { for: 'approval'; id: string }
  | { for: 'tasks'; loop: string }
  | { for: 'context'; action: ContextActionState };

/** Null if the run waits for nothing, has no template, or is broken. */
export function waitOf(run: Run): Wait | null {
  const running = runningMachine(run);
  if (running === null) return null;
  const { place, machine, state } = running;
  if (place?.kind === 'approval')
    return { for: 'approval', id: waitId({ facts: state }, machine) };
  if (place?.kind === 'waiting') return { for: 'tasks', loop: place.loop.key };
  const action = awaitedAction(running);
  return action === null ? null : { for: 'context', action };
}

/** Throws if the run is broken. */
export function contextActionOf(run: Run): ContextActionState | null {
  const usable = requireUsable(run);
  return usable.kind === 'template' ? usable.action : null;
}

/** Whether the run waits for a conversation that is compacted or cleared. */
export function awaitsContext(run: Run): boolean {
  return awaitedAction(run) !== null;
}

/** The action that the run waits for: the step has one, and it was not performed yet. */
function awaitedAction(run: Run): ContextActionState | null {
  if (run.kind !== 'template') return null;
  return run.action?.state === 'performed' ? null : run.action;
}

/** The conversation of the session that holds the run was compacted or cleared. A broken run stays as it is. */
export function contextActionHappened(
  run: Run,
  action: ContextAction,
  at: string,
): Run {
  if (run.kind !== 'template' || !awaitsContext(run)) return run;
  const machine = performContextAction(run.machine, action, at);
  if (machine === run.machine) return run;
  return withMachineState(run, machine);
}

/** Whether the conversation was compacted or cleared at that time because the current step begins so. */
export function hasBegunStepAt(run: Run, time: string): boolean {
  const running = runningMachine(run);
  if (running?.machine.contextAction?.performedAt !== time) return false;
  const { place } = running;
  if (place?.kind === 'ralph') return place.iteration === 1;
  if (place?.kind !== 'task') return true;
  const isFirstTask = place.tasks.every(
    ({ status }, index) => index === place.taskIndex || status === 'pending',
  );
  return place.subIndex === 0 && isFirstTask;
}

/** Whether the driver of a run has to begin a conversation before an agent of this kind can work on it. */
export function needsOtherConversation(
  run: Run,
  agent: string | null,
): boolean {
  const running = runningMachine(run);
  if (running === null) return false;
  return awaitsContext(running) || running.status.agent !== agent;
}

/** Whether `skip` may leave the current phase or step: it bypasses neither a gate nor an approval. */
export function isSkippable(run: Run): boolean {
  if (run.kind !== 'template' || run.place === null) return true;
  const { kind, step } = run.place;
  return kind !== 'approval' && !isGuarded(run.template, step);
}

/** A step of which the condition was false, with the number of its phase. */
export interface PassedStep {
  id: string;
  phase: number;
  when: string;
}

export function passedBySteps(run: Run): PassedStep[] {
  if (run.kind !== 'template') return [];
  const passed = new Set(run.machine.passedBy);
  return run.template.steps
    .map(({ id, when = '' }, index) => ({ id, phase: index + 1, when }))
    .filter(({ id }) => passed.has(id));
}

export type PhaseState = 'done' | 'current' | 'open' | 'skipped' | 'passed';

/** How a terminal shows it, before the name of the phase. */
export const PHASE_SIGNS: Record<PhaseState, string> = {
  done: '✓',
  current: '▸',
  open: '·',
  skipped: '↷',
  passed: '–',
};

/** How a phase stands, by its number. A run can end before all of its phases are done. */
export function phaseStates(run: Run): (n: number) => PhaseState {
  const { phase, status, undone = [], ended_early: endedEarly } = run.state;
  const skipped = new Set(skippedPhases(run.state).map((entry) => entry.phase));
  const passed = new Set(passedBySteps(run).map((step) => step.phase));
  const isCurrentDone =
    phase.status === 'completed' ||
    (status === 'completed' && endedEarly === undefined);
  return (n) => {
    if (skipped.has(n)) return 'skipped';
    if (passed.has(n)) return 'passed';
    if (n === phase.current) return isCurrentDone ? 'done' : 'current';
    return n < phase.current && !undone.includes(n) ? 'done' : 'open';
  };
}

/** The name of the template that drives the run; null for a run without one. */
export function templateNameOf({ template }: RunState): string | null {
  const name = template?.['name'];
  return typeof name === 'string' && name.trim() !== '' ? name : null;
}

/** How often the current step of a template run is tried in all; null if it is not tried again. */
export function triesAllowed(run: Run): number | null {
  const running = runningMachine(run);
  if (running === null || (running.machine.retries ?? 0) === 0) return null;
  return 1 + (running.template.max_retries ?? DEFAULT_RETRIES);
}

/** How often a running template run was sent back, and how often it may be; null for any other run. */
export function pivotsOf(run: Run): { made: number; max: number } | null {
  const running = runningMachine(run);
  if (running === null) return null;
  const { machine, template } = running;
  return { made: machine.pivots ?? 0, max: maxPivots(template) };
}

export function isOutOfPivots(run: Run): boolean {
  const pivots = pivotsOf(run);
  return pivots !== null && pivots.made >= pivots.max;
}

/** Whether the run is blocked because it cannot be sent back any more. */
export function isPivotRefused(run: Run): boolean {
  return run.state.phase.status === 'blocked' && isOutOfPivots(run);
}

/** Why such a run is blocked. */
export function pivotRefusal(run: Run): string {
  const { made = 0 } = pivotsOf(run) ?? {};
  const times = made === 1 ? 'once' : `${made} times`;
  return `the work was sent back ${times}, which is all that its template allows`;
}
