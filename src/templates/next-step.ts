import { holderOf } from '../sessions/holder.ts';
import type { StoredRun } from '../state/types.ts';
import { contextActionState } from '../templates/machine/context-action.ts';
import {
  nextAction,
  positionKey,
  type MachineFacts,
  type NextAction,
} from '../templates/machine/next-action.ts';
import { isPivotRefused, waitOf, inspectRun, type TemplateRun } from '../templates/run-view.ts';
import { retriesLeft } from '../templates/machine/transitions.ts';
import { type OperationContext, callerSession } from '../sessions/open-project.ts';

export interface NextStep {
  next: NextAction;
  /** Where the run stands; null if this session does not continue it by itself. */
  position: string | null;
}

/** What comes next for a run in this session. `lastPrompted` is the position that it was last prompted for. */
export function nextStep(
  context: OperationContext,
  { runId, state }: StoredRun,
  runs: readonly StoredRun[],
  lastPrompted: string | null,
): NextStep {
  const session = callerSession(context, runs);
  // A run that the session was given, rather than asked for, is not continued without a person.
  const isOwn = session !== null && holderOf(state) === session && state.hold?.own === true;
  const perform = state.perform ?? context.settings.context.perform;
  const mode = isOwn && perform === 'auto' ? 'auto' : 'ask';
  const { next, position } = decide({ runId, state }, mode, lastPrompted);
  return { next, position: isOwn ? position : null };
}

/** What comes next for a run that `holdfast run` drives, which is a request to let it go on by itself. */
export function nextDrivenStep(
  run: Pick<StoredRun, 'runId' | 'state'>,
  lastPrompted: string | null,
): NextStep {
  return decide(run, 'auto', lastPrompted);
}

function decide(
  { runId, state }: Pick<StoredRun, 'runId' | 'state'>,
  mode: 'auto' | 'ask',
  lastPrompted: string | null,
): NextStep {
  const run = inspectRun(state);
  const machine = run.kind === 'template' ? machineFacts(runId, state, run) : null;
  const next = nextAction({
    runId,
    runStatus: state.status ?? 'in_progress',
    phaseStatus: state.phase.status,
    machine,
    mode,
    lastPrompted,
  });
  return { next, position: machine?.position ?? null };
}

function machineFacts(
  runId: string,
  state: StoredRun['state'],
  { template, machine }: TemplateRun,
): MachineFacts {
  const wait = waitOf(state)?.for;
  const isOutOfRetries = machine.status === 'failed' && retriesLeft(template, machine) === 0;
  return {
    status: machine.status,
    step: machine.step,
    position: positionKey(runId, machine),
    contextAction: contextActionState(machine),
    isWaitingForTasks: wait === 'tasks',
    isWaitingForApproval: wait === 'approval',
    isLimitReached: isPivotRefused(state) || isOutOfRetries,
  };
}
