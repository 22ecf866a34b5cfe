import { pluralize } from '../text/relative-time.ts';
import { asWord, truncate } from '../text/sanitize.ts';
import { artefactsWith } from './enter-step.ts';
import {
  runArgument,
  type MachineContext,
  type MachineState,
  type Task,
} from './machine-state.ts';
import { isAtPivotLimit, waysToAnswer } from './send-back.ts';
import { stepOf, type Position } from './position.ts';
import type { Step, Template } from './template-types.generated.ts';
import { ownEntry } from '../text/json.ts';

export interface Status {
  status: MachineState['status'];
  step: string;
  stepType: MachineState['stepType'];
  agent: string | null;
  delegate: boolean;
  instructions: string;
  progress: {
    currentStep: number;
    totalSteps: number;
    /** Of all loops whose tasks are known. */
    completedTasks: number;
    totalTasks: number;
    text: string;
  };
  artefacts: Record<string, string[]>;
  task?: NonNullable<MachineState['task']>;
  subStep?: string;
  ralphIteration?: number;
  ralphTotal?: number;
  passedBy?: string[];
}

const MAX_NAME = 60;
const MAX_TITLE = 80;

/** A run that `isOver` has nothing to do, wherever its machine stands. */
export function statusOf(
  context: MachineContext,
  state: MachineState,
  place: Position | null,
  isOver = false,
): Status {
  const { template } = context;
  const work = state.status === 'running' && !isOver ? place : null;
  const own = work?.kind === 'task' ? work.subStep.agent : undefined;
  const agent = own ?? work?.step.agent ?? null;
  const tasks = Object.values(state.tasks).flat();
  return {
    status: state.status,
    step: state.step,
    stepType: state.stepType,
    agent,
    delegate: agent !== null,
    instructions: work === null ? '' : instructionsAt(context, state, work),
    progress: {
      currentStep: stepOf(template, state).index + 1,
      totalSteps: template.steps.length,
      completedTasks: tasks.filter(({ status }) => status === 'done').length,
      totalTasks: tasks.length,
      text: placeText(template, state, place),
    },
    artefacts: artefactsWith(state, state.currentStepArtefacts),
    ...(place?.kind === 'ralph' && {
      ralphIteration: place.iteration,
      ralphTotal: place.total,
    }),
    ...(place?.kind === 'task' && {
      task: {
        index: place.taskIndex,
        id: place.task.id,
        title: place.task.title,
      },
      subStep: place.subStep.id,
    }),
    ...(state.passedBy === undefined ? {} : { passedBy: [...state.passedBy] }),
  };
}

function instructionsAt(
  { template, facts }: MachineContext,
  state: MachineState,
  place: Position,
) {
  const task = place.kind === 'task' ? place.task : null;
  const own = ownInstructions(place.step, state, task);
  const more = moreAt();
  return own === '' || more === '' ? own + more : `${own.trimEnd()}\n\n${more}`;

  function moreAt(): string {
    if (place.kind === 'task')
      return fillPlaceholders(place.subStep.instructions, state, task);
    if (place.kind === 'approval')
      return `This step waits for the user. Tell the user what to look at and how to answer, then stop: ${waysToAnswer(runArgument(facts), isAtPivotLimit(template, state))}`;
    if (place.kind !== 'waiting') return '';
    const { key } = place.loop;
    return `This step waits for its tasks: set them with \`holdfast tasks ${key}\` or the tool workflow_set_tasks (loop_id "${key}").`;
  }
}

/** What the template itself says about a step, without what holdfast adds for the agent. */
export function ownInstructions(
  { instructions = '' }: Step,
  state: MachineState,
  task: Task | null = null,
): string {
  return fillPlaceholders(instructions, state, task);
}

function placeText(
  template: Template,
  { status }: MachineState,
  at: Position | null,
): string {
  if (at === null)
    return `${pluralize(template.steps.length, 'step')}, complete`;
  const { id, phase, title } = at.step;
  const name = phase ?? title ?? id;
  const words = name === id ? id : `${asWord(name, MAX_NAME)}: ${id}`;
  const parts = [`step ${at.index + 1} of ${template.steps.length} (${words})`];
  if (at.kind === 'ralph')
    parts.push(`iteration ${at.iteration} of ${at.total}`);
  if (at.kind === 'approval') parts.push("waiting for the user's approval");
  if (at.kind === 'waiting') parts.push('waiting for its tasks');
  if (at.kind === 'task') {
    const task = asWord(at.task.title, MAX_TITLE);
    parts.push(`task ${at.taskIndex + 1} of ${at.tasks.length} (${task})`);
    parts.push(`sub-step ${at.subStep.id}`);
  }
  if (status === 'failed') parts.push('failed');
  return parts.join(', ');
}

/** Keys are made of step ids, task ids and numbers, joined by dots. */
const PLACEHOLDER = /\{(task|inputs|outputs)\.([^{}\s]{1,500})\}/g;

const MAX_OUTPUT = 2_000;

/** Replaces each placeholder once: what a value contains is never taken for a placeholder. */
const fillPlaceholders = (
  text: string,
  state: MachineState,
  task: Task | null,
): string =>
  text.replace(PLACEHOLDER, (all: string, kind: string, key: string) => {
    if (kind === 'outputs') return outputText(state, key);
    if (kind === 'inputs')
      return String(ownEntry(state.inputs ?? {}, key) ?? `(no input "${key}")`);
    if (task === null) return all;
    const { id, title, description = '' } = task;
    return ownEntry({ id, title, description }, key) ?? all;
  });

export const referencesIn = (text: string): { kind: string; key: string }[] =>
  [...text.matchAll(PLACEHOLDER)].map(([, kind = '', key = '']) => ({
    kind,
    key,
  }));

/** The outputs that a text embeds, by the keys they are stored under. */
export const outputsIn = (text: string, state: MachineState): string[] =>
  referencesIn(text).flatMap(({ kind, key }) =>
    kind === 'outputs' ? outputKey(state, key) : [],
  );

function outputText(state: MachineState, key: string): string {
  const output = ownEntry(state.outputs, outputKey(state, key));
  if (output === undefined) return `(no output of "${key}")`;
  const text = output.trim();
  if (text.length <= MAX_OUTPUT) return text;
  return `${truncate(text, MAX_OUTPUT)} (cut: ${text.length} characters in all; \`holdfast show\` has them)`;
}

/** A ralph step has one output for each iteration; its id alone means the last one. */
function outputKey({ outputs }: MachineState, key: string): string {
  if (Object.hasOwn(outputs, key)) return key;
  const iterations = Object.keys(outputs)
    .filter((name) => name.startsWith(`${key}.`))
    .map((name) => Number(name.slice(key.length + 1)))
    .filter((iteration) => Number.isSafeInteger(iteration));
  return `${key}.${Math.max(...iterations)}`;
}
