import type { MachineState } from '../machine/machine-state.ts';
import { retriesLeft } from '../machine/position.ts';
import type { ContextAction } from '../machine/template-types.generated.ts';
import { holderOf } from '../sessions/holder.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import { isPivotRefused, waitOf } from '../state/progress.ts';
import type { Run, TemplateRun } from '../state/types.ts';
import { isWaitingPhase } from '../state/waiting-phase.ts';
import { continuePrompt } from './continue-prompt.ts';

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

/** What comes next, and the position of the run for which that is the answer. */
export interface PositionedAction {
  next: NextAction;
  /** Null where a prompt must not be counted: in a run without a template, or one that is not the session's own. */
  position: string | null;
}

/** What comes next for a run in this session. `lastPrompted` is the position that it was last prompted for. */
export function nextStep(
  context: OperationContext,
  run: Run,
  lastPrompted: string | null,
): PositionedAction {
  const { state } = run;
  const { session, settings } = context;
  // A run that the session was given, rather than asked for, is not continued without a person.
  const isOwn =
    session !== null && holderOf(state) === session && state.hold?.own === true;
  const perform = state.perform ?? settings.context.perform;
  const mode = isOwn && perform === 'auto' ? 'auto' : 'ask';

  const { next, position } = nextAction(run, mode, lastPrompted);
  return { next, position: isOwn ? position : null };
}

/**
 * What comes next for a run: the one answer for `status`, `run`, the module and the page. A run continues by itself only
 * from one position of its template to the next. An agent that ends its turn at the position it was prompted for has not
 * moved the run and probably needs the user: the run waits.
 */
export function nextAction(
  run: Run,
  /** `ask` if this session may not continue the run by itself. */
  mode: 'auto' | 'ask',
  /** The position that the session was last prompted for; null if it was not prompted yet. */
  lastPrompted: string | null,
): PositionedAction {
  const reason = stopReason(run);
  if (run.kind !== 'template')
    return { next: stopped(reason ?? 'waiting'), position: null };

  const { runId, machine } = run;
  const position = positionKey(runId, machine);
  if (reason !== null) return { next: stopped(reason), position };
  if (isWaitingPhase(run.state)) return { next: waiting(run, mode), position };
  if (mode === 'ask' || position === lastPrompted)
    return { next: stopped('waiting'), position };

  const next: NextAction = {
    perform: actionToPerform(run.action),
    prompt: continuePrompt(runId, machine.step),
    stop: null,
  };
  return { next, position };
}

function stopped(stop: StopReason): NextAction {
  return { perform: 'none', prompt: null, stop };
}

/** The conversation may be made ready for a step that waits for the user's word; nobody is prompted to begin it. */
function waiting(run: TemplateRun, mode: 'auto' | 'ask'): NextAction {
  const perform = mode === 'auto' ? actionToPerform(run.action) : 'none';
  return { perform, prompt: null, stop: 'waiting' };
}

/** Null if the run can go on. */
function stopReason(run: Run): StopReason | null {
  const { status = 'in_progress', phase } = run.state;
  const machineStatus = run.kind === 'template' ? run.machine.status : null;
  const wait = waitOf(run)?.for;

  if (status === 'completed' || status === 'cancelled') return 'done';
  if (machineStatus === 'complete') return 'done';
  if (status === 'paused') return 'paused';
  // A rejection that was refused blocks the run, and the user's approval is still what it needs.
  if (wait === 'approval' && status === 'in_progress') return 'approval';
  if (isPivotRefused(run) || isOutOfRetries(run)) return 'limit';
  if (status === 'failed' || machineStatus === 'failed') return 'failed';
  if (phase.status === 'blocked') return 'blocked';
  return wait === 'tasks' ? 'tasks' : null;
}

function isOutOfRetries(run: Run): boolean {
  if (run.kind !== 'template') return false;
  return run.machine.status === 'failed' && retriesLeft(run) === 0;
}

function actionToPerform(action: TemplateRun['action']): NextAction['perform'] {
  if (action === null || action.state === 'performed') return 'none';
  return action.command === '/clear' ? 'clear' : 'compact';
}

/**
 * Where a run stands, as one text that is another one after each move. Retries and pivots count: an agent that reports a
 * failure or goes back has moved the run, even to the same step.
 */
export function positionKey(
  runId: string,
  machine: Pick<MachineState, 'step'> & Partial<MachineState>,
): string {
  const parts = [
    runId,
    machine.step,
    machine.task?.index ?? '',
    machine.subStep ?? '',
    machine.ralphIteration ?? '',
    machine.retries ?? 0,
    machine.pivots ?? 0,
  ];
  return parts.join('/');
}
