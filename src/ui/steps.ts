import { isCounted, phaseName, skippedPhases } from '../state/phases.ts';
import type { RunState } from '../state/types.ts';
import { contextBefore } from '../templates/machine/enter-step.ts';
import { loopsOf } from '../templates/machine/position.ts';
import { ownEntry, type Task } from '../templates/machine/machine-state.ts';
import {
  phaseStates,
  waitOf,
  type PhaseState,
  inspectRun,
  type TemplateRun,
} from '../templates/run-view.ts';
import type { ContextAction, Step } from '../templates/template-types.generated.ts';

export type StepState = PhaseState | 'failed' | 'blocked' | 'waiting';

/** A phase or a step of a run, as the page draws it. */
export interface StepNode {
  /** Counted from 1. */
  n: number;
  title: string;
  state: StepState;
  /** How long it took or has taken, in milliseconds; null if that is not known. */
  spent: number | null;
  /** Null for a phase. */
  step: Step | null;
  /** The context action before the step. */
  contextBefore: ContextAction | null;
  /** The step that a rejection leads back to. */
  onReject: string | null;
  /** Of a step that is repeated; null before it begins. */
  iteration: number | null;
  loop: LoopNode | null;
  /** Why it was skipped. */
  reason: string | null;
  /** What it handed on: text, and the files that it has left or must leave. */
  output: NonNullable<RunState['outputs']>[string];
}

export interface LoopNode {
  subSteps: { id: string; isCurrent: boolean }[];
  tasks: Task[];
  /** The index of the task in progress; -1 if there is none. */
  current: number;
}

/** Fits on no screen anyway; the steps around the current one are drawn. */
const MAX_STEPS = 300;

/** The phases or steps of a run in order, each with its state. A broken run is drawn by its phases. */
export function stepDiagram(
  state: RunState,
  spent: ReadonlyMap<number, number> = new Map(),
): { steps: StepNode[]; leftOut: number } {
  const { phase, phases } = state;
  const run = inspectRun(state);
  const total = run.kind === 'template' ? run.template.steps.length : phase.total;
  const skipped = new Map(skippedPhases(state).map((skip) => [skip.phase, skip.reason]));
  const phaseState = phaseStates(state);
  const steps = drawn(total, state).map((n): StepNode => {
    const step = run.kind === 'template' ? run.template.steps[n - 1] : undefined;
    const name = (n === phase.current ? phase.name : '') || (phases?.[n - 1] ?? '');
    return {
      n,
      title: phaseName({ ...phase, current: n, name }),
      state: phaseState(n) === 'current' ? currentState(state) : phaseState(n),
      spent: spent.get(n) ?? null,
      step: null,
      contextBefore: null,
      onReject: null,
      iteration: null,
      loop: null,
      reason: skipped.get(n) ?? null,
      output: ownEntry(state.outputs ?? {}, String(n)) ?? {},
      ...(run.kind === 'template' && step !== undefined ? templateStep(run, step, n) : {}),
    };
  });
  return { steps, leftOut: Math.max(0, total - steps.length) };
}

/** The numbers to draw: all, or those around the current one. */
function drawn(total: number, { phase }: RunState): number[] {
  if (!isCounted(phase)) return [phase.current];
  const count = Math.min(Math.max(total, 1), MAX_STEPS);
  const before = Math.max(0, Math.min(phase.current - 1 - MAX_STEPS / 2, total - count));
  return Array.from({ length: count }, (_, index) => Math.floor(before) + index + 1);
}

function currentState(state: RunState): StepState {
  // Nobody works on it any more.
  if (state.ended_early !== undefined) return 'open';
  const { phase, status } = state;
  if (status === 'failed') return 'failed';
  if (phase.status === 'blocked') return 'blocked';
  if (phase.status === 'not_started') return 'waiting';
  return ['approval', 'tasks'].includes(waitOf(state)?.for ?? '') ? 'waiting' : 'current';
}

function templateStep(run: TemplateRun, step: Step, n: number): Partial<StepNode> {
  const { template, machine } = run;
  const { id, type } = step;
  const before = template.steps[n - 2]?.id;
  const text = ownEntry(machine.outputs, id);
  const made = ownEntry(machine.artefacts, id) ?? [];
  const required = Array.isArray(step.artefacts) ? step.artefacts : [];
  return {
    title: step.title ?? step.phase ?? id,
    step,
    contextBefore: contextBefore(template, step, undefined, before) ?? null,
    onReject: type === 'approval' ? (step.on_reject ?? before ?? null) : null,
    iteration: machine.step === id ? (machine.ralphIteration ?? null) : null,
    loop: type === 'loop' ? loopNode(run, step) : null,
    output: {
      ...(text === undefined ? {} : { text }),
      artefacts: [...new Set([...made, ...required])],
    },
  };
}

function loopNode({ template, machine }: TemplateRun, step: Step): LoopNode | null {
  const loop = loopsOf(template).get(step.id);
  if (loop === undefined) return null;
  const isHere = machine.step === step.id && machine.status === 'running';
  const current = isHere ? (machine.task?.index ?? -1) : -1;
  return {
    subSteps: loop.subSteps.map(({ id }) => ({
      id,
      isCurrent: current >= 0 && machine.subStep === id,
    })),
    tasks: ownEntry(machine.tasks, loop.key) ?? [],
    current,
  };
}
