import { phaseStates, type PhaseState } from '../../workflow/run-view.ts';
import { isCounted, phaseName, skippedPhases } from '../../state/phases.ts';
import type { RunState } from '../../state/types.ts';
import { contextBefore } from '../../workflow/machine/context-action.ts';
import { loopsOf } from '../../workflow/machine/loops.ts';
import { ownEntry, type MachineState } from '../../workflow/machine/machine-state.ts';
import { inspectRun, type TemplateRun } from '../../workflow/run.ts';
import type { Step, SubStep } from '../../workflow/template/template-types.generated.ts';
import { oneLine, orNull } from './text.ts';
import type { LoopFacts, StepNode, StepState, SubStepNode } from './types/steps.ts';

/** Fits on no screen anyway; the steps around the current one are drawn. */
const MAX_STEPS = 300;
const MAX_TASKS = 200;
const MAX_OUTPUT = 400;
const MAX_FILES = 20;

export interface StepDiagram {
  steps: StepNode[];
  leftOut: number;
}

/** The phases or steps of a run in order, each with its state. A broken run is drawn by its phases. */
export function stepDiagram(state: RunState): StepDiagram {
  const run = inspectRun(state);
  const marks = marksOf(state);
  const total = run.kind === 'template' ? run.template.steps.length : state.phase.total;
  const steps = drawn(total, state).map((index) =>
    run.kind === 'template' ? templateStep(run, marks, index) : phaseStep(marks, index),
  );
  return { steps, leftOut: Math.max(0, total - steps.length) };
}

/** What is known of a run's phases by their numbers, collected once for all of them. */
interface Marks {
  run: RunState;
  skipped: ReadonlyMap<number, string>;
  phaseState: (n: number) => PhaseState;
}

function marksOf(run: RunState): Marks {
  return {
    run,
    skipped: new Map(skippedPhases(run).map(({ phase, reason }) => [phase, reason])),
    phaseState: phaseStates(run),
  };
}

/** The indexes to draw: all, or those around the current one. */
function drawn(total: number, { phase }: RunState): number[] {
  if (!isCounted(phase)) return [phase.current - 1];
  const count = Math.min(Math.max(total, 1), MAX_STEPS);
  const start = Math.max(0, Math.min(phase.current - 1 - MAX_STEPS / 2, total - count));
  return Array.from({ length: count }, (_, index) => Math.floor(start) + index);
}

function phaseStep(marks: Marks, index: number): StepNode {
  const { run: state } = marks;
  const n = index + 1;
  const isCurrent = n === state.phase.current;
  const name = (isCurrent ? state.phase.name : '') || (state.phases?.[index] ?? '');
  const output = ownEntry(state.outputs ?? {}, String(n));
  return {
    ...plainNode(n, String(n), oneLine(name) || oneLine(phaseName({ ...state.phase, current: n }))),
    kind: 'phase',
    state: stateOf(marks, n),
    reason: orNull(marks.skipped.get(n)),
    output: shortOutput(output?.text),
    files: files(output?.artefacts),
  };
}

function templateStep(run: TemplateRun, marks: Marks, index: number): StepNode {
  const { template, machine } = run;
  const step = template.steps[index];
  const n = index + 1;
  if (step === undefined) return phaseStep(marks, index);
  const { id, title, phase, type } = step;
  const before = template.steps[index - 1];
  const made = ownEntry(machine.artefacts, id) ?? [];
  const required = Array.isArray(step.artefacts) ? step.artefacts : [];
  return {
    ...plainNode(n, oneLine(id), oneLine(title ?? phase ?? id)),
    kind: type,
    state: stateOf(marks, n),
    contextBefore: contextBefore(template, step, undefined, before?.id) ?? null,
    agent: orNull(step.agent),
    gate: orNull(step.gate),
    until: orNull(step.until),
    when: orNull(step.when),
    onFail: step.on_fail ?? null,
    onReject: type === 'approval' ? rejectTarget(step, before) : null,
    iterations: type === 'ralph' ? iterations(step, machine) : null,
    loop: type === 'loop' ? loopFacts(run, step) : null,
    reason: orNull(marks.skipped.get(n)),
    output: shortOutput(ownEntry(machine.outputs, id)),
    files: files([...new Set([...made, ...required])]),
  };
}

function plainNode(n: number, id: string, title: string): Omit<StepNode, 'kind' | 'state'> {
  return {
    n,
    id,
    title,
    contextBefore: null,
    agent: null,
    gate: null,
    until: null,
    when: null,
    onFail: null,
    onReject: null,
    iterations: null,
    loop: null,
    reason: null,
    output: null,
    files: [],
  };
}

function stateOf({ run: state, phaseState }: Marks, n: number): StepState {
  const { phase, status } = state;
  const known = phaseState(n);
  if (known !== 'current') return known;
  if (status === 'failed') return 'failed';
  if (phase.status === 'blocked') return 'blocked';
  if (phase.status === 'not_started') return 'waiting';
  const run = inspectRun(state);
  const waits =
    run.kind === 'template' && (run.machine.stepType === 'approval' || isWithoutTasks(run.machine));
  return waits ? 'waiting' : 'current';
}

function isWithoutTasks({ stepType, task }: MachineState): boolean {
  return stepType === 'loop' && task === undefined;
}

function rejectTarget({ on_reject: target }: Step, before: Step | undefined): string | null {
  return orNull(target ?? before?.id);
}

function iterations(step: Step, machine: MachineState): StepNode['iterations'] {
  const current = machine.step === step.id ? (machine.ralphIteration ?? null) : null;
  return { current, total: step.n ?? 1 };
}

function loopFacts({ template, machine }: TemplateRun, step: Step): LoopFacts | null {
  const loop = loopsOf(template).get(step.id);
  if (loop === undefined) return null;
  const isHere = machine.step === step.id && machine.status === 'running';
  const tasks = ownEntry(machine.tasks, loop.key) ?? [];
  const at = isHere ? (machine.task?.index ?? -1) : -1;
  const start = Math.max(0, Math.min(at - MAX_TASKS / 2, tasks.length - MAX_TASKS));
  const shown = tasks.slice(start, start + MAX_TASKS);
  return {
    name: oneLine(loop.loop),
    subSteps: loop.subSteps.map((subStep) => ({
      ...subStepNode(subStep),
      contextBefore: contextBefore(template, step, subStep, undefined) ?? null,
      isCurrent: isHere && at >= 0 && machine.subStep === subStep.id,
    })),
    tasks: shown.map(({ id, title, status }, index) => ({
      id: oneLine(id),
      title: oneLine(title),
      status,
      isCurrent: start + index === at,
    })),
    tasksLeftOut: tasks.length - shown.length,
  };
}

function subStepNode(subStep: SubStep): Omit<SubStepNode, 'isCurrent' | 'contextBefore'> {
  return {
    id: oneLine(subStep.id),
    gate: orNull(subStep.gate),
    agent: orNull(subStep.agent),
    onFail: subStep.on_fail ?? null,
  };
}

function shortOutput(text: string | undefined): string | null {
  const line = oneLine(text ?? '', MAX_OUTPUT);
  return line === '' ? null : line;
}

function files(paths: readonly string[] = []): string[] {
  return paths.slice(0, MAX_FILES).map((path) => oneLine(path));
}
