import { pluralize } from '../../text/relative-time.ts';
import { sanitizeLine, truncate } from '../../text/sanitize.ts';
import { artefactsWith } from './artefacts.ts';
import { runArgument, type MachineContext, type MachineState } from './machine-state.ts';
import { isAtPivotLimit, waysToAnswer } from './pivot.ts';
import { fillPlaceholders } from './placeholders.ts';
import { positionOf, stepOf, type Position } from './position.ts';

/** Where a run stands and what to do there. */
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
  /** The steps whose condition was false when the run came by. */
  passedBy?: string[];
}

const TITLE = 80;

/** A run that `isOver` has nothing to do, wherever its machine stands. */
export function statusOf(context: MachineContext, state: MachineState, isOver = false): Status {
  const { template } = context;
  const place = state.status === 'complete' ? null : positionOf(template, state);
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
      text: placeText(context, state, place),
    },
    artefacts: artefactsWith(state, state.currentStepArtefacts),
    ...(place?.kind === 'ralph'
      ? { ralphIteration: place.iteration, ralphTotal: place.total }
      : {}),
    ...(place?.kind === 'task'
      ? {
          task: { index: place.taskIndex, id: place.task.id, title: place.task.title },
          subStep: place.subStep.id,
        }
      : {}),
    ...(state.passedBy === undefined ? {} : { passedBy: [...state.passedBy] }),
  };
}

/** What to do at this position. */
function instructionsAt(context: MachineContext, state: MachineState, place: Position): string {
  const { instructions } = place.step;
  const task = place.kind === 'task' ? place.task : null;
  const own = instructions === undefined ? [] : [fillPlaceholders(instructions, state, task)];
  switch (place.kind) {
    case 'action':
    case 'ralph':
      return own.join('');
    case 'task':
      own.push(fillPlaceholders(place.subStep.instructions, state, task));
      break;
    case 'approval':
      own.push(approvalSentence(context, state));
      break;
    case 'waiting': {
      const { key } = place.loop;
      own.push(
        `This step waits for its tasks: set them with \`holdfast tasks ${key}\` or the tool workflow_set_tasks (loop_id "${key}").`,
      );
    }
  }
  const [first = '', ...rest] = own;
  return rest.length === 0 ? first : `${first.trimEnd()}\n\n${rest.join('')}`;
}

function approvalSentence({ template, facts }: MachineContext, state: MachineState): string {
  const answers = waysToAnswer(runArgument(facts), isAtPivotLimit(template, state));
  return `This step waits for the user. Tell the user what to look at and how to answer, then stop: ${answers}`;
}

function placeText(
  { template }: MachineContext,
  { status }: MachineState,
  at: Position | null,
): string {
  if (at === null) return `${pluralize(template.steps.length, 'step')}, complete`;
  const { id, phase, title: name } = at.step;
  const phaseAndStep = new Set([truncate(sanitizeLine(phase ?? name ?? id), 60), id]);
  const parts = [
    `step ${at.index + 1} of ${template.steps.length} (${[...phaseAndStep].join(': ')})`,
  ];
  if (at.kind === 'ralph') parts.push(`iteration ${at.iteration} of ${at.total}`);
  if (at.kind === 'approval') parts.push("waiting for the user's approval");
  if (at.kind === 'waiting') parts.push('waiting for its tasks');
  if (at.kind === 'task') {
    const title = truncate(sanitizeLine(at.task.title), TITLE);
    parts.push(`task ${at.taskIndex + 1} of ${at.tasks.length} (${title})`);
    parts.push(`sub-step ${at.subStep.id}`);
  }
  if (status === 'failed') parts.push('failed');
  return parts.join(', ');
}
