import { unreachable } from '../../text/unreachable.ts';
import { allArtefacts } from './artefacts.ts';
import type { MachineContext } from './conditions.ts';
import { instructionsAt } from './instructions.ts';
import type { MachineState } from './machine-state.ts';
import { positionOf, type Position } from './position.ts';
import { progressOf, type Progress } from './progress.ts';

/** Where a run stands and what to do there. */
export interface Status {
  status: MachineState['status'];
  step: string;
  stepType: MachineState['stepType'];
  agent: string | null;
  delegate: boolean;
  instructions: string;
  progress: Progress;
  artefacts: Record<string, string[]>;
  task?: NonNullable<MachineState['task']>;
  subStep?: string;
  ralphIteration?: number;
  ralphTotal?: number;
  /** The steps whose condition was false when the run came by. */
  passedBy?: string[];
}

export function statusOf(context: MachineContext, state: MachineState): Status {
  const { template } = context;
  const place = state.status === 'complete' ? null : positionOf(template, state);
  const work = state.status === 'running' && place !== null ? place : null;
  const agent = work === null ? null : agentAt(work);
  return {
    status: state.status,
    step: state.step,
    stepType: state.stepType,
    agent,
    delegate: agent !== null,
    instructions: work === null ? '' : instructionsAt(context, state, work),
    progress: progressOf(context, state),
    artefacts: allArtefacts(state),
    ...(place === null ? {} : detailsAt(place)),
    ...(state.passedBy === undefined ? {} : { passedBy: [...state.passedBy] }),
  };
}

function agentAt(place: Position): string | null {
  const own = place.kind === 'task' ? place.subStep.agent : undefined;
  return own ?? place.step.agent ?? null;
}

function detailsAt(place: Position): Partial<Status> {
  switch (place.kind) {
    case 'action':
    case 'approval':
    case 'waiting':
      return {};
    case 'ralph':
      return { ralphIteration: place.iteration, ralphTotal: place.total };
    case 'task': {
      const { id, title } = place.task;
      return { task: { index: place.taskIndex, id, title }, subStep: place.subStep.id };
    }
    default:
      return unreachable(place);
  }
}
