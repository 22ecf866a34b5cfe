import { holderOf } from '../sessions/holder.ts';
import { type OperationContext } from '../sessions/open-project.ts';
import type { PhaseStatus, RunStatus, StoredRun } from '../state/types.ts';
import { contextActionState, type ContextActionState } from './machine/context-action.ts';
import type { MachineState } from './machine/machine-state.ts';
import { retriesLeft } from './machine/transitions.ts';
import { inspectRun, isPivotRefused, waitOf } from './run-view.ts';
import type { ContextAction } from './template-types.generated.ts';

/** What comes next for a run: what to perform, what to prompt afterwards, or why to stop. */
export interface NextAction {
  perform: 'none' | ContextAction;
  prompt: string | null;
  stop: StopReason | null;
}

export type StopReason =
  | 'done'
  | 'approval'
  | 'tasks'
  | 'blocked'
  | 'failed'
  | 'limit'
  | 'paused'
  | 'waiting';

export interface NextStep {
  next: NextAction;
  /** Where the run stands; null for a run without a template. */
  position: string | null;
}

/** What comes next for a stored run: the one answer for `status`, `run`, the module and the page. */
export function nextStepOf(
  { runId, state }: Pick<StoredRun, 'runId' | 'state'>,
  mode: NextActionInput['mode'],
  lastPrompted: string | null,
): NextStep {
  const run = inspectRun(state);
  const machine = run.kind === 'template' ? run.machine : null;
  const position = machine === null ? null : positionKey(runId, machine);
  const isOutOfRetries =
    run.kind === 'template' &&
    run.machine.status === 'failed' &&
    retriesLeft(run.template, run.machine) === 0;
  const wait = waitOf(state)?.for;
  const next = nextAction({
    runId,
    runStatus: state.status ?? 'in_progress',
    phaseStatus: state.phase.status,
    machine: machine && {
      status: machine.status,
      step: machine.step,
      position: positionKey(runId, machine),
      contextAction: contextActionState(machine),
      isWaitingForTasks: wait === 'tasks',
      isWaitingForApproval: wait === 'approval',
      isLimitReached: isPivotRefused(state) || isOutOfRetries,
    },
    mode,
    lastPrompted,
  });
  return { next, position };
}

/** What comes next for a run in this session. `lastPrompted` is the position that it was last prompted for. */
export function nextStep(
  context: OperationContext,
  run: StoredRun,
  lastPrompted: string | null,
): NextStep {
  const { state } = run;
  const { session } = context;
  // A run that the session was given, rather than asked for, is not continued without a person.
  const isOwn = session !== null && holderOf(state) === session && state.hold?.own === true;
  const perform = state.perform ?? context.settings.context.perform;
  const { next, position } = nextStepOf(
    run,
    isOwn && perform === 'auto' ? 'auto' : 'ask',
    lastPrompted,
  );
  return { next, position: isOwn ? position : null };
}

/** What is known of a run. */
export interface NextActionInput {
  runId: string;
  runStatus: RunStatus | 'cancelled';
  phaseStatus: PhaseStatus;
  /** Null for a run without a template, which only a person continues. */
  machine: MachineFacts | null;
  /** `ask` if this session may not continue the run by itself. */
  mode: 'auto' | 'ask';
  /** The position key that the session was last prompted for; null if it was not prompted yet. */
  lastPrompted: string | null;
}

export interface MachineFacts {
  status: MachineState['status'];
  step: string;
  position: string;
  contextAction: ContextActionState | null;
  isWaitingForTasks: boolean;
  isWaitingForApproval: boolean;
  /** The last retry was used up, or a pivot was refused because the template allows no more. */
  isLimitReached: boolean;
}

/**
 * A run continues by itself only from one position of its template to the next. An agent that ends its turn at the
 * position it was prompted for has not moved the run and probably needs the user: the run waits.
 */
export function nextAction(input: NextActionInput): NextAction {
  const { machine, runId } = input;
  const stop = stopReason(input);
  if (stop !== null || machine === null)
    return { perform: 'none', prompt: null, stop: stop ?? 'waiting' };
  const { command, state } = machine.contextAction ?? {};
  const pending = command === '/clear' ? 'clear' : 'compact';
  return {
    perform: command === undefined || state === 'performed' ? 'none' : pending,
    prompt: continuePrompt(runId, machine.step),
    stop: null,
  };
}

function stopReason(input: NextActionInput): StopReason | null {
  const { runStatus, phaseStatus, machine, mode, lastPrompted } = input;
  if (runStatus === 'completed' || runStatus === 'cancelled') return 'done';
  if (machine?.status === 'complete') return 'done';
  if (runStatus === 'paused') return 'paused';
  // A rejection that was refused blocks the run, and the user's approval is still what it needs.
  if (machine?.isWaitingForApproval === true && runStatus === 'in_progress') return 'approval';
  if (machine?.isLimitReached === true) return 'limit';
  if (runStatus === 'failed' || machine?.status === 'failed') return 'failed';
  if (phaseStatus === 'blocked') return 'blocked';
  if (machine === null) return 'waiting';
  if (machine.isWaitingForTasks) return 'tasks';
  return mode === 'ask' || machine.position === lastPrompted ? 'waiting' : null;
}

/**
 * The prompt is submitted without a person, so it carries no text that a template or repository could choose, except
 * identifiers. One that does not look like an identifier is left out.
 */
export function continuePrompt(runId: string, step: string): string {
  // Here, because V8 takes half a millisecond for these Unicode classes.
  const identifier = /^[\p{L}\p{N}._-]{1,128}$/u;
  const run = identifier.test(runId) ? ` ${runId}` : '';
  const at = identifier.test(step) ? ` at step ${step}` : '';
  return `Continue the holdfast run${run}${at}. \`holdfast status\` shows the instructions of this step, \`holdfast advance\` finishes it. If you need the user, say what for and stop.`;
}

/**
 * Identifies one entry into a step, task, sub-step or iteration. Retries and pivots count: an agent that reports a
 * failure, or goes back to an earlier step, has moved the run although it may stand at the same step as before.
 */
export function positionKey(
  runId: string,
  machine: Pick<
    MachineState,
    'step' | 'task' | 'subStep' | 'ralphIteration' | 'retries' | 'pivots'
  >,
): string {
  const { step, task, subStep = '', ralphIteration = '', retries = 0, pivots = 0 } = machine;
  return [runId, step, task?.index ?? '', subStep, ralphIteration, retries, pivots].join('/');
}
