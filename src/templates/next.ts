import { holderOf } from '../sessions/holder.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import type { MachineState } from './machine/machine-state.ts';
import { retriesLeft } from './machine/transitions.ts';
import { inspectRun, isPivotRefused, waitOf, type TemplateRun } from './run-view.ts';
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

/**
 * What comes next for a run: the one answer for `status`, `run`, the module and the page. A run continues by itself only
 * from one position of its template to the next. An agent that ends its turn at the position it was prompted for has not
 * moved the run and probably needs the user: the run waits.
 */
export function nextAction(
  { runId, state }: Pick<StoredRun, 'runId' | 'state'>,
  /** `ask` if this session may not continue the run by itself. */
  mode: 'auto' | 'ask',
  /** The position that the session was last prompted for; null if it was not prompted yet. */
  lastPrompted: string | null,
): NextStep {
  const run = inspectRun(state);
  if (run.kind !== 'template')
    return { next: stopped(stopReason(state, null) ?? 'waiting'), position: null };
  const { machine, action } = run;
  const position = positionKey(runId, machine);
  const isWaiting = mode === 'ask' || position === lastPrompted;
  const stop = stopReason(state, run) ?? (isWaiting ? 'waiting' : null);
  if (stop !== null) return { next: stopped(stop), position };
  const pending = action?.command === '/clear' ? 'clear' : 'compact';
  const next: NextAction = {
    perform: action === null || action.state === 'performed' ? 'none' : pending,
    prompt: continuePrompt(runId, machine.step),
    stop: null,
  };
  return { next, position };
}

function stopped(stop: StopReason): NextAction {
  return { perform: 'none', prompt: null, stop };
}

/** Null if the run can go on. */
function stopReason(state: RunState, run: TemplateRun | null): StopReason | null {
  const { status = 'in_progress', phase } = state;
  const { machine } = run ?? {};
  const wait = waitOf(state)?.for;
  if (status === 'completed' || status === 'cancelled' || machine?.status === 'complete')
    return 'done';
  if (status === 'paused') return 'paused';
  // A rejection that was refused blocks the run, and the user's approval is still what it needs.
  if (wait === 'approval' && status === 'in_progress') return 'approval';
  const isFailed = machine?.status === 'failed';
  if (isPivotRefused(state) || (run !== null && isFailed && retriesLeft(run) === 0)) return 'limit';
  if (status === 'failed' || isFailed) return 'failed';
  if (phase.status === 'blocked') return 'blocked';
  return wait === 'tasks' ? 'tasks' : null;
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
  const mode = isOwn && perform === 'auto' ? 'auto' : 'ask';
  const { next, position } = nextAction(run, mode, lastPrompted);
  return { next, position: isOwn ? position : null };
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
