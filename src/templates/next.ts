import { holderOf, isHeldByLiveSession } from '../sessions/holder.ts';
import { drivenClient, isDriven } from '../sessions/client-process.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import { mayChangeHeldRun } from '../sessions/rights.ts';
import { isActive } from '../sessions/select-run.ts';
import { openItemsOf, openItemsText } from '../sources/open-items.ts';
import { findDetectedRuns } from '../sources/project-sources.ts';
import { isArchived } from '../state/paths.ts';
import { isCounted, nextPhase, skippedPhases } from '../state/phases.ts';
import type { Run } from '../state/types.ts';
import { pluralize } from '../text/relative-time.ts';
import type { ContextCommand, MachineState } from '../machine/machine-state.ts';
import { retriesLeft } from '../machine/position.ts';
import {
  isOutOfPivots,
  isPivotRefused,
  isSkippable,
  waitOf,
  needsOtherConversation,
} from '../state/progress.ts';
import type { ContextAction } from '../machine/template-types.generated.ts';
import { ownRun } from '../sessions/own-run.ts';

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
): { next: NextAction; position: string | null } {
  const reason = stopReason(run);
  if (run.kind !== 'template')
    return { next: stopped(reason ?? 'waiting'), position: null };
  const { runId, machine, action } = run;
  const position = positionKey(runId, machine);
  const isWaiting = mode === 'ask' || position === lastPrompted;
  const stop = reason ?? (isWaiting ? 'waiting' : null);
  if (stop !== null) return { next: stopped(stop), position };
  const pending = action?.command === '/clear' ? 'clear' : 'compact';
  const next: NextAction = {
    perform: action === null || action.state === 'performed' ? 'none' : pending,
    prompt: continuePrompt(runId, machine.step),
    stop: null,
  };
  return { next, position };
}

const stopped = (stop: StopReason): NextAction => ({
  perform: 'none',
  prompt: null,
  stop,
});

/** Null if the run can go on. */
function stopReason(run: Run): StopReason | null {
  const { status = 'in_progress', phase } = run.state;
  const machine = run.kind === 'template' ? run.machine : null;
  const wait = waitOf(run)?.for;
  if (
    status === 'completed' ||
    status === 'cancelled' ||
    machine?.status === 'complete'
  )
    return 'done';
  if (status === 'paused') return 'paused';
  // A rejection that was refused blocks the run, and the user's approval is still what it needs.
  if (wait === 'approval' && status === 'in_progress') return 'approval';
  const isFailed = machine?.status === 'failed';
  const isOutOfRetries =
    run.kind === 'template' && isFailed && retriesLeft(run) === 0;
  if (isPivotRefused(run) || isOutOfRetries) return 'limit';
  if (status === 'failed' || isFailed) return 'failed';
  if (phase.status === 'blocked') return 'blocked';
  return wait === 'tasks' ? 'tasks' : null;
}

/** What comes next for a run in this session. `lastPrompted` is the position that it was last prompted for. */
export function nextStep(
  context: OperationContext,
  run: Run,
  lastPrompted: string | null,
) {
  const { state } = run;
  const { session } = context;
  // A run that the session was given, rather than asked for, is not continued without a person.
  const isOwn =
    session !== null && holderOf(state) === session && state.hold?.own === true;
  const perform = state.perform ?? context.settings.context.perform;
  const mode = isOwn && perform === 'auto' ? 'auto' : 'ask';
  const { next, position } = nextAction(run, mode, lastPrompted);
  return { next, position: isOwn ? position : null };
}

/** Whether a driven agent ends its turn: the next step begins in a conversation that only the driver can start. */
export function mustEndTurn(environment: NodeJS.ProcessEnv, run: Run): boolean {
  const driven = drivenClient(environment);
  const isDrivenHere = driven !== null && driven.runId === run.runId;
  return isDrivenHere && needsOtherConversation(run, driven.agent);
}

/** Replaces the instructions if the next step needs a conversation that only `holdfast run` can start. */
export const END_TURN =
  'End your turn now: `holdfast run` begins the next step in a conversation of its own, where its instructions are given.';

/** In a driven run that has failed, which is not tried again unasked. */
export const PERSON_DECIDES =
  'end your turn; a person decides in a terminal how the run goes on';

/** The same in words: what to type next for a run. `action` is the context action that this call requests. */
export function nextCommand(
  context: OperationContext,
  run: Run,
  action: ContextCommand | null,
): string {
  const { runId, state } = run;
  const { stop } = nextAction(run, 'auto', null).next;
  if (isArchived(run))
    return `holdfast reopen ${runId} (brings it back from the archive)`;
  if (state.status === 'failed' && isDriven(context.environment, runId))
    return PERSON_DECIDES;
  if (state.status === 'paused' || state.status === 'failed')
    return `holdfast resume ${runId}`;
  if (mustEndTurn(context.environment, run)) return END_TURN;
  if (stop === 'done') return `holdfast complete ${runId}`;
  const { runs } = context.store.list();
  const isHeld = isHeldByLiveSession(run, context);
  const isOwn =
    context.session !== null &&
    ownRun(runs, context.session, context)?.runId === runId;
  if (isHeld && !isOwn && !mayChangeHeldRun(context.caller))
    return 'nothing here: another session works on it, until a person types /holdfast:release there';
  // A command of this session that names no run does not mean this one: it would have to take the run first.
  if (context.session !== null && !isOwn) return `holdfast resume ${runId}`;
  const named = nameIfAmbiguous(context, run, runs);
  const isBlocked = stop === 'blocked' || stop === 'limit';
  if (action !== null && !isBlocked) {
    if (context.session !== null)
      return `${action}, then holdfast status${named}`;
    // A terminal has neither command.
    return isHeld
      ? `type ${action} in the Claude Code session that works on it`
      : `in a Claude Code session, holdfast resume ${runId}, then type ${action}`;
  }
  if (stop === 'approval')
    return `the user decides: holdfast approve${named}, or ${isOutOfPivots(run) ? `end the run: holdfast complete${named}` : `holdfast reject${named} --feedback "<what has to change>"`}`;
  // A step that waits for tasks refuses to be advanced, blocked or not.
  if (waitOf(run)?.for === 'tasks')
    return `holdfast tasks ${String(state.machine?.['step'])}${named === '' ? '' : ` --run${named}`} --file <file with the tasks>`;
  const lead = isBlocked ? 'resolve the blocker, then ' : '';
  if (isBlocked && (state.machine !== undefined || isCounted(state.phase)))
    return `${lead}holdfast advance${named}; ${isSkippable(run) ? `or leave it: holdfast skip${named}` : `or report why it cannot be done: holdfast fail${named}`} --reason "<why>"`;
  if (state.machine !== undefined)
    return `holdfast advance${named} --output "<what the next steps need to know>"`;
  return `${lead}${nextPhaseCommand(context, run, named)}`;
}

/** In a run without a template. */
function nextPhaseCommand(
  context: OperationContext,
  run: Run,
  named: string,
): string {
  const { phase } = run.state;
  if (!isCounted(phase))
    return `holdfast advance${named} --name "<next phase>", or holdfast complete${named} once all is done`;
  if (nextPhase(run.state) !== null) {
    const skipped = skippedPhases(run.state).filter(
      (entry) => entry.phase > phase.current,
    );
    const left = phase.total - phase.current - skipped.length;
    return `holdfast advance${named} (${pluralize(left, 'phase')} to go after this one)`;
  }
  const open = openItemsOf(context, run);
  return open === null
    ? `holdfast advance${named} (this is the last phase: it completes the run)`
    : `tick off what is done of the ${openItemsText(open)}, then holdfast advance${named} (it completes the run)`;
}

/** The run's id as an argument, if the command could mean another run without it. */
export function nameIfAmbiguous(
  context: OperationContext,
  run: Run,
  runs: readonly Run[],
): string {
  const { session } = context;
  if (session !== null && ownRun(runs, session, context)?.runId === run.runId)
    return '';
  const isAlone = runs.every(
    (other) => other.runId === run.runId || !isActive(other),
  );
  return isAlone && findDetectedRuns(context, runs).length === 0
    ? ''
    : ` ${run.runId}`;
}

const IDENTIFIER = /^[\p{L}\p{N}._-]{1,128}$/u;

/** Submitted without a person: it carries no text of a template or repository except what looks like an identifier. */
export function continuePrompt(runId: string, step: string): string {
  const run = IDENTIFIER.test(runId) ? ` ${runId}` : '';
  const at = IDENTIFIER.test(step) ? ` at step ${step}` : '';
  return `Continue the holdfast run${run}${at}. \`holdfast status\` shows the instructions of this step, \`holdfast advance\` finishes it. If you need the user, say what for and stop.`;
}

/** Retries and pivots count: an agent that reports a failure or goes back has moved the run, even to the same step. */
export function positionKey(
  runId: string,
  machine: Pick<MachineState, 'step'> & Partial<MachineState>,
): string {
  const {
    step,
    task,
    subStep = '',
    ralphIteration = '',
    retries = 0,
    pivots = 0,
  } = machine;
  return [
    runId,
    step,
    task?.index ?? '',
    subStep,
    ralphIteration,
    retries,
    pivots,
  ].join('/');
}
