import { isActive, withState } from '../state/run.ts';
import { type Caller, channelOf, sessionOf } from '../sessions/caller.ts';
import { environmentOf } from '../sessions/client-process.ts';
import {
  heldRun,
  hold,
  holderOf,
  releaseRun,
  sessionRecord,
  tellFormerHolder,
  withoutRelease,
} from '../sessions/holder.ts';
import { lastSeen } from '../sessions/liveness.ts';
import { liveHolder } from '../sessions/liveness.ts';
import type { OperationContext, Project } from '../sessions/open-project.ts';
import { mayChangeHeldRun, takesChangedRun } from '../sessions/rights.ts';
import type { NewEvent } from '../state/journal.ts';
import { phaseWords } from '../state/phase-words.ts';
import { addMessage } from '../state/store/messages.ts';
import { readArchivedRun } from '../state/store/run-files.ts';
import { requireKnownFormat } from '../state/store/state-format.ts';
import type { Transaction } from '../state/store/store.ts';
import type { Hold, Run, RunState } from '../state/types.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { timeAgo } from '../text/relative-time.ts';
import { asWord, shortId } from '../text/sanitize.ts';
import { howToRelease } from './missing-run.ts';
import {
  findTargetRun,
  requireOutsideOwnGate,
  runArchived,
} from './which-run.ts';

/** Makes an event of the journal: who has caused it, and whether this call made the session the holder of the run. */
type Log = (event: NewEvent) => NewEvent;

type Work<T> = (run: Run, tx: Transaction, log: Log) => T;

/** Changes the run that a command names, or the caller's own, as one that is more than its source from now on. */
export function withRun<T>(
  context: OperationContext,
  name: string | undefined,
  work: Work<T>,
): T {
  return changeNamedRun(context, name, { takes: true, adopts: true }, work);
}

/** The same for a command that says what else its change means. */
export function changeNamedRun<T>(
  context: OperationContext,
  name: string | undefined,
  options: Omit<ChangeOptions<T>, 'command'>,
  work: Work<T>,
): T {
  const target = findTargetRun(context, name);
  const { caller, command = 'update' } = context;
  return changeRun(context, caller, target, { ...options, command }, work);
}

interface ChangeOptions<T> {
  /** The session whose run a person changes is told by which command. */
  command: string;
  /** A session that holds no run takes this one by changing it. */
  takes: boolean;
  /** From now on the run is more than its source. */
  adopts: boolean;
  /** What the live session whose run a person changes is told of the result, besides where its run stands. */
  newsOf?: (result: T) => string;
}

/** Changes a run under the lock. `work` gets it with the holder that it has after the change, and saves it. */
export function changeRun<T>(
  project: Project,
  caller: Caller,
  target: Run,
  { command, takes, adopts, newsOf }: ChangeOptions<T>,
  work: Work<T>,
): T {
  return transact(project, (tx) => {
    const found = rereadForChange(tx, target);
    const holder = otherHolder(project, caller, found);
    const adopted = adopts
      ? withState(found, { ...found.state, adopted: true })
      : found;
    const isTaking = holder === null && takes && takesChangedRun(caller);
    const run = isTaking ? heldByCaller(project, caller, tx, adopted) : adopted;

    const isTaken = holderOf(run.state) !== holderOf(found.state);
    const log: Log = (event) =>
      withActor(caller, isTaken ? { ...event, held: true } : event);
    const result = work(run, tx, log);

    if (isTaken)
      tellFormerHolder(tx, found, holderOf(run.state) ?? '', project.now);
    if (holder !== null) {
      const news = newsOf === undefined ? '' : newsOf(result);
      tellHolder(project, tx, found, holder, { command, news });
    }
    return result;
  });
}

/** The run as it is now, which another process may have changed or ended since it was found. */
function rereadForChange(tx: Transaction, target: Run): Run {
  const run = tx.reread(target);
  if (run === undefined) {
    const archived = readArchivedRun(tx.root, target.runId);
    throw runArchived(archived ?? target);
  }
  requireKnownFormat(run);
  return run;
}

/** The live session whose run a person changes from a terminal. An agent is refused. `holdfast run` has its own rules. */
export function otherHolder(
  project: Project,
  caller: Caller,
  run: Run,
): string | null {
  if (caller.kind === 'driver') return null;
  const holder = liveHolder(run.state, project);
  if (holder === null || holder === sessionOf(caller)) return null;
  if (!mayChangeHeldRun(caller)) throw heldByOther(project, run, holder);
  return holder;
}

interface TellOptions {
  command: string;
  /** How the run has ended, if it has. */
  endedAs?: RunState['status'];
  news?: string;
}

/** The session is told at its next prompt or command, and the person who has typed the command is told of the session. */
export function tellHolder(
  project: Project,
  tx: Transaction,
  run: Run,
  holder: string,
  { command, endedAs, news = '' }: TellOptions,
): void {
  const { runId } = run;
  const after = tx.reread(run)?.state;
  const isHeld = after !== undefined && holderOf(after) === holder;
  const holds = isHeld ? 'holds' : 'held';
  const where = after === undefined ? endOf(command, endedAs) : placeOf(after);
  const text = `\`holdfast ${command}\`, by the user, ${whatHappened(after, isHeld)} ${asWord(run.state.workflow)} (${runId}), which this session ${holds}: it is ${where}${news === '' ? '' : `; ${news}`}`;
  const message = { at: project.now.getTime(), text };
  tx.saveHookState(addMessage(tx.hookState, holder, message));
  project.warn(
    `session ${shortId(holder)} ${holds} ${runId}; it is told of this change at its next prompt`,
  );
}

function whatHappened(after: RunState | undefined, isHeld: boolean): string {
  if (isHeld) return 'changed';
  return after === undefined ? 'ended' : 'released';
}

function endOf(command: string, endedAs: RunState['status']): string {
  if (endedAs !== undefined) return endedAs;
  return command === 'cancel' ? 'cancelled' : 'completed';
}

function placeOf({ status = 'in_progress', phase }: RunState): string {
  return status === 'in_progress' ? `at phase ${phaseWords(phase)}` : status;
}

/**
 * A session that holds no run and changes one that no live session holds becomes its holder: after the /clear that
 * a step may ask for, only the holder gets its run back. Such a run is not continued without a person: that takes a
 * command that names it as this session's, `start` or `resume`.
 */
function heldByCaller(
  project: Project,
  caller: Caller,
  tx: Transaction,
  run: Run,
): Run {
  const session = sessionOf(caller);
  if (session === null || !isActive(run)) return run;
  const isHeld = holderOf(run.state) === session;
  if (!isHeld && heldRun(tx.runs, session) !== undefined)
    return withState(run, withoutRelease(run.state, session, project.now));
  const before = isHeld ? run.state.hold : undefined;
  const why: Hold = { by: 'command', ...before, touched: true };
  return withState(run, holdBy(project, session, run.state, why));
}

/** A transaction that also reports the state files it had to move aside. */
export function transact<T>(
  { store, warn }: Pick<Project, 'store' | 'warn'>,
  work: (tx: Transaction) => T,
): T {
  return store.transaction((tx) => {
    for (const sentence of tx.setAside) warn(sentence);
    return work(tx);
  });
}

export function withActor(caller: Caller, event: NewEvent): NewEvent {
  const session = sessionOf(caller);
  const by = channelOf(caller);
  return session === null
    ? { ...event, by }
    : { ...event, by, session_id: session };
}

export function writeReleased(
  project: Project,
  caller: Caller,
  tx: Transaction,
  run: Run,
): Run {
  requireOutsideOwnGate(project, run);
  const state = releaseRun(run.state, sessionOf(caller), project.now);
  return tx.write(run, state, withActor(caller, { event: 'released' }));
}

export function heldByOther(
  project: Project,
  { runId, state }: Run,
  holder: string,
): HoldfastError {
  const record = sessionRecord(state, holder);
  const seen = timeAgo(lastSeen(record, project), project.now);
  const since = timeAgo(record?.started_at ?? '', project.now);
  const message = `${runId} is held by session ${asWord(holder)} since ${since}, last seen ${seen}; nothing was changed`;
  const hint = `if that session is done with it, a person can let it go: ${howToRelease(runId)}`;
  return new HoldfastError('held_by_other', message, { hint });
}

/** The state with the session as the holder of the run; the registry knows its project from then on. */
export function holdBy(
  { root, cwd, client, now, registry, environment }: Project,
  session: string,
  state: RunState,
  why: Hold,
): RunState {
  registry.recordProject(session, root, client);
  const place = environmentOf(root, cwd, client, environment);
  return hold(state, session, place, now, why);
}
