import { isCounted, phaseName } from '../state/phase-words.ts';
import { skippedPhases } from '../state/phases.ts';
import type { Run, RunState, TemplateRun } from '../state/types.ts';
import { contextBefore } from '../machine/context-action.ts';
import { loopsOf } from '../machine/position.ts';
import { phaseStates, waitOf } from '../state/progress.ts';
import type { Step } from '../machine/template-types.generated.ts';
import { ownEntry } from '../text/json.ts';
import type { LoopNode, StepNode, StepOutput, StepState } from './page-data.ts';

/** Fits on no screen anyway; of more steps, those around the current one are drawn. */
const MAX_STEPS_DRAWN = 300;

/**
 * The phases or steps of a run in order, each with its state. A broken run is drawn by its phases.
 * `spent`: how long each phase took or has taken, in milliseconds.
 */
export function stepDiagram(
  run: Run,
  spent: ReadonlyMap<number, number>,
): { steps: StepNode[]; leftOut: number } {
  const { state } = run;
  const ofTemplate = run.kind === 'template' ? run : null;
  const total = ofTemplate?.template.steps.length ?? state.phase.total;
  const reasons = new Map(
    skippedPhases(state).map(({ phase, reason }) => [phase, reason]),
  );
  const stateOf = phaseStates(run);

  const steps = numbersToDraw(total, state).map((n) => {
    const phaseState = stateOf(n);
    return {
      ...stepNode(state, ofTemplate, n),
      state: phaseState === 'current' ? currentState(run) : phaseState,
      spent: spent.get(n) ?? null,
      reason: reasons.get(n) ?? null,
    };
  });
  return { steps, leftOut: Math.max(0, total - steps.length) };
}

/** All numbers from 1, or those around the current one; only that one if phases are not counted. */
function numbersToDraw(total: number, { phase }: RunState): number[] {
  if (!isCounted(phase)) return [phase.current];
  const count = Math.min(Math.max(total, 1), MAX_STEPS_DRAWN);
  const centred = phase.current - 1 - MAX_STEPS_DRAWN / 2;
  const before = Math.floor(Math.max(0, Math.min(centred, total - count)));
  return Array.from({ length: count }, (_, index) => before + index + 1);
}

function currentState(run: Run): StepState {
  const { state } = run;
  // Nobody works on it any more.
  if (state.ended_early !== undefined) return 'open';

  if (state.status === 'failed') return 'failed';
  if (state.phase.status === 'blocked') return 'blocked';
  if (state.phase.status === 'not_started') return 'waiting';

  const wait = waitOf(run);
  const isWaiting = wait?.for === 'approval' || wait?.for === 'tasks';
  return isWaiting ? 'waiting' : 'current';
}

type NodeContent = Omit<StepNode, 'state' | 'spent' | 'reason'>;

function stepNode(
  state: RunState,
  run: TemplateRun | null,
  n: number,
): NodeContent {
  const step = run?.template.steps[n - 1];
  if (run === null || step === undefined) return phaseNode(state, n);
  return templateNode(run, step, n);
}

function phaseNode(state: RunState, n: number): NodeContent {
  const { phase, phases = [], outputs = {} } = state;
  // The name of the current phase may have changed since the list of names was written.
  const currentName = n === phase.current ? phase.name : '';
  const name = currentName === '' ? (phases[n - 1] ?? '') : currentName;

  return {
    n,
    title: phaseName({ ...phase, current: n, name }),
    step: null,
    contextBefore: null,
    onReject: null,
    iteration: null,
    loop: null,
    output: ownEntry(outputs, String(n)) ?? {},
  };
}

/**
 * A step as the page draws it; `n` counts from 1. Where the run has not come yet, nobody knows how it will, so the step
 * before it in the template counts as the one that is left.
 */
function templateNode(run: TemplateRun, step: Step, n: number): NodeContent {
  const { template, machine } = run;
  const stepBefore = template.steps[n - 2]?.id;
  const firstSubStep = loopsOf(template).get(step.id)?.subSteps[0];
  const isHere = machine.step === step.id;
  const rejectTo = step.on_reject ?? stepBefore ?? null;

  return {
    n,
    title: step.title ?? step.phase ?? step.id,
    step,
    contextBefore:
      contextBefore(template, {
        step,
        subStep: firstSubStep,
        cameFrom: stepBefore,
      }) ?? null,
    onReject: step.type === 'approval' ? rejectTo : null,
    iteration: isHere ? (machine.ralphIteration ?? null) : null,
    loop: step.type === 'loop' ? loopNode(run, step) : null,
    output: outputOf(run, step),
  };
}

function outputOf({ machine }: TemplateRun, step: Step): StepOutput {
  const text = ownEntry(machine.outputs, step.id);
  const made = ownEntry(machine.artefacts, step.id) ?? [];
  const required = Array.isArray(step.artefacts) ? step.artefacts : [];
  const artefacts = [...new Set([...made, ...required])];
  return text === undefined ? { artefacts } : { text, artefacts };
}

function loopNode(
  { template, machine }: TemplateRun,
  step: Step,
): LoopNode | null {
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
