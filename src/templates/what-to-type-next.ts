import type { ContextCommand } from '../machine/machine-state.ts';
import { readerOf, type Reader } from '../sessions/caller.ts';
import { drivenClient, isDriven } from '../sessions/client-process.ts';
import { isHeldByLiveSession } from '../sessions/liveness.ts';
import type { OperationContext, Project } from '../sessions/open-project.ts';
import { ownRun } from '../sessions/own-run.ts';
import { mayChangeHeldRun } from '../sessions/rights.ts';
import { isActive } from '../state/run.ts';
import { openItemsOf, openItemsText } from '../sources/open-items.ts';
import { findDetectedRuns } from '../sources/project-sources.ts';
import { isArchived } from '../state/paths.ts';
import { isCounted } from '../state/phase-words.ts';
import { nextPhase, skippedPhases } from '../state/phases.ts';
import {
  isOutOfPivots,
  isSkippable,
  needsOtherConversation,
  waitOf,
} from '../state/progress.ts';
import type { Run } from '../state/types.ts';
import { isWaitingPhase } from '../state/waiting-phase.ts';
import { pluralize } from '../text/relative-time.ts';
import { nextAction, type StopReason } from './next.ts';

/** Replaces the instructions if the next step needs a conversation that only `holdfast run` can start. */
export const END_TURN =
  'End your turn now: `holdfast run` begins the next step in a conversation of its own, where its instructions are given.';

/** In a driven run that has failed, which is not tried again unasked. */
export const PERSON_DECIDES =
  'end your turn; a person decides in a terminal how the run goes on';

/** What to type next for a run, in words. `action` is the context action that this call requests. */
export function nextCommand(
  context: OperationContext,
  run: Run,
  action: ContextCommand | null,
): string {
  return unusualNext(context, run, action) ?? plainCourse(context, run);
}

/** What to type next where that is not to finish the phase or step once it is done; null where it is. */
export function unusualNext(
  context: OperationContext,
  run: Run,
  action: ContextCommand | null,
): string | null {
  const { session, environment } = context;
  const { runId, state } = run;
  if (isArchived(run))
    return `holdfast reopen ${runId} (brings it back from the archive)`;
  if (state.status === 'failed' && isDriven(environment, runId))
    return PERSON_DECIDES;
  if (state.status === 'paused' || state.status === 'failed')
    return `holdfast resume ${runId}`;
  if (mustEndTurn(environment, run)) return END_TURN;

  const { stop } = nextAction(run, 'auto', null).next;
  if (stop === 'done') return `holdfast complete ${runId}`;

  const { runs } = context.store.list();
  const isOwn = isOwnRun(context, run, runs);
  const isHeld = isHeldByLiveSession(run, context);
  if (isHeld && !isOwn && !mayChangeHeldRun(context.caller))
    return 'nothing here: another session works on it, until a person types /holdfast:release there';
  // A command of this session that names no run does not mean this one: it would have to take the run first.
  if (session !== null && !isOwn) return `holdfast resume ${runId}`;

  const named = isOwn ? '' : nameUnlessAlone(context, run, runs);
  if (isWaitingPhase(state)) return waitingCommand(context, run, named);
  const isBlocked = isBlockedBy(stop);
  if (action !== null && !isBlocked) {
    if (session !== null) return `${action}, then holdfast status${named}`;
    // A terminal has neither command.
    return isHeld
      ? `type ${action} in the Claude Code session that works on it`
      : `in a Claude Code session, holdfast resume ${runId}, then type ${action}`;
  }

  if (stop === 'approval')
    return approvalCommand(run, named, readerOf(context.caller));
  // A step that waits for tasks refuses to be advanced, blocked or not.
  if (waitOf(run)?.for === 'tasks') return tasksCommand(run, named);

  if (!isBlocked) return null;
  const hasTemplate = state.machine !== undefined;
  return hasTemplate || isCounted(state.phase)
    ? blockedCommand(run, named)
    : `${RESOLVE_FIRST}${nextPhaseCommand(context, run, named)}`;
}

function isBlockedBy(stop: StopReason | null): boolean {
  return stop === 'blocked' || stop === 'limit';
}

/** How the phase or step that a run is in is finished. */
export function plainCourse(context: OperationContext, run: Run): string {
  const { runs } = context.store.list();
  const named = nameIfAmbiguous(context, run, runs);
  return run.state.machine === undefined
    ? nextPhaseCommand(context, run, named)
    : `holdfast advance${named} --output "<what the next steps need to know>"`;
}

/** How a phase or step begins that waits for the user's word. */
function waitingCommand(
  { session }: OperationContext,
  { kind, runId }: Run,
  named: string,
): string {
  const what = kind === 'template' ? 'step' : 'phase';
  return session === null
    ? `holdfast resume ${runId} begins the ${what}`
    : `wait for the user's word; then holdfast resume${named} begins the ${what}`;
}

/** Whether a driven agent ends its turn: the next step begins in a conversation that only the driver can start. */
export function mustEndTurn(environment: NodeJS.ProcessEnv, run: Run): boolean {
  const driven = drivenClient(environment);
  if (driven === null || driven.runId !== run.runId) return false;
  return needsOtherConversation(run, driven.agent);
}

function approvalCommand(run: Run, named: string, reader: Reader): string {
  const whoDecides = reader === 'model' ? 'the user decides' : 'you decide';
  const otherwise = isOutOfPivots(run)
    ? `end the run: holdfast complete${named}`
    : `holdfast reject${named} --feedback "<what has to change>"`;
  return `${whoDecides}: holdfast approve${named}, or ${otherwise}`;
}

function tasksCommand(run: Run, named: string): string {
  const step = String(run.state.machine?.['step']);
  const option = named === '' ? '' : ` --run${named}`;
  return `holdfast tasks ${step}${option} --file <file with the tasks>`;
}

const RESOLVE_FIRST = 'resolve the blocker, then ';

function blockedCommand(run: Run, named: string): string {
  const otherwise = isSkippable(run)
    ? `or leave it: holdfast skip${named}`
    : `or report why it cannot be done: holdfast fail${named}`;
  return `${RESOLVE_FIRST}holdfast advance${named}; ${otherwise} --reason "<why>"`;
}

/** In a run without a template. */
function nextPhaseCommand(context: Project, run: Run, named: string): string {
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

/** ` <run id>`, with a space before it, to append to a command that could mean another run without it; else empty. */
export function nameIfAmbiguous(
  context: OperationContext,
  run: Run,
  runs: readonly Run[],
): string {
  return isOwnRun(context, run, runs)
    ? ''
    : nameUnlessAlone(context, run, runs);
}

function isOwnRun(
  context: OperationContext,
  run: Run,
  runs: readonly Run[],
): boolean {
  const { session } = context;
  if (session === null) return false;
  return ownRun(runs, session, context)?.runId === run.runId;
}

/** A terminal means the only active run. A source that declares another one makes that uncertain. */
function nameUnlessAlone(
  context: OperationContext,
  run: Run,
  runs: readonly Run[],
): string {
  const others = runs.filter((other) => other.runId !== run.runId);
  const isAlone =
    !others.some(isActive) && findDetectedRuns(context, runs).length === 0;
  return isAlone ? '' : ` ${run.runId}`;
}
