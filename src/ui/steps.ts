import { isCounted, phaseName, skippedPhases } from '../state/phases.ts';
import type { Run, RunState } from '../state/types.ts';
import { contextBefore } from '../machine/enter-step.ts';
import { loopsOf } from '../machine/position.ts';
import { phaseStates, waitOf, type PhaseState } from '../state/progress.ts';
import { type TemplateRun } from '../state/types.ts';
import type { Step } from '../machine/template-types.generated.ts';
import { ownEntry } from '../text/json.ts';

export type StepState = PhaseState | 'failed' | 'blocked' | 'waiting';

/** Fits on no screen anyway; the steps around the current one are drawn. */
const MAX_STEPS = 300;

/** The phases or steps of a run in order, each with its state. A broken run is drawn by its phases. */
export function stepDiagram(run: Run, spent: ReadonlyMap<number, number>) {
  const { state } = run;
  const ofTemplate = run.kind === 'template' ? run : null;
  const total = ofTemplate?.template.steps.length ?? state.phase.total;
  const skipped = new Map(
    skippedPhases(state).map((skip) => [skip.phase, skip.reason]),
  );
  const stateOf = phaseStates(run);
  const steps = drawn(total, state).map((n) => ({
    ...stepNode(state, ofTemplate, n),
    state: stateOf(n) === 'current' ? currentState(run) : stateOf(n),
    /** How long it took or has taken, in milliseconds; null if that is not known. */
    spent: spent.get(n) ?? null,
    reason: skipped.get(n) ?? null,
  }));
  return { steps, leftOut: Math.max(0, total - steps.length) };
}

/** The numbers to draw: all, or those around the current one. */
function drawn(total: number, { phase }: RunState): number[] {
  if (!isCounted(phase)) return [phase.current];
  const count = Math.min(Math.max(total, 1), MAX_STEPS);
  const before = Math.max(
    0,
    Math.min(phase.current - 1 - MAX_STEPS / 2, total - count),
  );
  return Array.from(
    { length: count },
    (_, index) => Math.floor(before) + index + 1,
  );
}

function currentState(run: Run): StepState {
  const { state } = run;
  // Nobody works on it any more.
  if (state.ended_early !== undefined) return 'open';
  const { phase, status } = state;
  if (status === 'failed') return 'failed';
  if (phase.status === 'blocked') return 'blocked';
  if (phase.status === 'not_started') return 'waiting';
  return ['approval', 'tasks'].includes(waitOf(run)?.for ?? '')
    ? 'waiting'
    : 'current';
}

export type StepNode = ReturnType<typeof stepDiagram>['steps'][number];

function stepNode(state: RunState, run: TemplateRun | null, n: number) {
  const { phase, phases } = state;
  const name =
    (n === phase.current ? phase.name : '') || (phases?.[n - 1] ?? '');
  const step = run?.template.steps[n - 1] ?? null;
  const phaseTitle = phaseName({ ...phase, current: n, name });
  return {
    /** Counted from 1. */
    n,
    title: step === null ? phaseTitle : (step.title ?? step.phase ?? step.id),
    step,
    ...(run === null || step === null
      ? { ...NO_STEP, output: ownEntry(state.outputs ?? {}, String(n)) ?? {} }
      : templateNode(run, step, n)),
  };
}

/** What it handed on: text, and the files that it has left or must leave. */
type Output = NonNullable<RunState['outputs']>[string];

const NO_STEP = {
  contextBefore: null,
  onReject: null,
  iteration: null,
  loop: null,
};

function templateNode(run: TemplateRun, step: Step, n: number) {
  const { template, machine } = run;
  const { id, type } = step;
  const before = template.steps[n - 2]?.id;
  const text = ownEntry(machine.outputs, id);
  const made = ownEntry(machine.artefacts, id) ?? [];
  const required = Array.isArray(step.artefacts) ? step.artefacts : [];
  const artefacts = [...new Set([...made, ...required])];
  const output: Output =
    text === undefined ? { artefacts } : { text, artefacts };
  return {
    contextBefore: contextBefore(template, step, undefined, before) ?? null,
    onReject: type === 'approval' ? (step.on_reject ?? before ?? null) : null,
    /** Of a step that is repeated; null before it begins. */
    iteration: machine.step === id ? (machine.ralphIteration ?? null) : null,
    loop: type === 'loop' ? loopNode(run, step) : null,
    output,
  };
}

export type LoopNode = NonNullable<ReturnType<typeof loopNode>>;

function loopNode({ template, machine }: TemplateRun, step: Step) {
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
    /** The index of the task in progress; -1 if there is none. */
    current,
  };
}
