import { requireKnownFormat } from '../state/store/run-files.ts';
import { environmentOf } from '../sessions/client-process.ts';
import {
  heldRun,
  hold,
  holderOf,
  lastSeen,
  liveHolder,
  releaseRun,
  sessionRecord,
  tellFormerHolder,
  withoutRelease,
} from '../sessions/holder.ts';
import { channelOf } from '../sessions/caller.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import { mayChangeHeldRun, takesChangedRun } from '../sessions/rights.ts';
import { isActive } from '../sessions/select-run.ts';
import type { NewEvent } from '../state/journal.ts';
import { phaseWords } from '../state/phases.ts';
import { addMessage } from '../state/store/hook-state.ts';
import type { Transaction } from '../state/store/store.ts';
import { withState } from '../state/run.ts';
import type { Hold, RunState, StoredRun } from '../state/types.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { timeAgo } from '../text/relative-time.ts';
import { asWord, shortId } from '../text/sanitize.ts';
import {
  findTargetRun,
  requireOutsideOwnGate,
  requireRun,
} from './which-run.ts';
import { howToRelease } from './missing-run.ts';

/** Makes an event of the journal: who has caused it, and whether this call made the session the holder of the run. */
type Log = (event: NewEvent) => NewEvent;

type Work<T> = (run: StoredRun, tx: Transaction, log: Log) => T;

/**
 * Changes a run under the lock. `work` gets the run with its holder as it is after the change and as one that somebody
 * has written to, and saves it. If the target is ambiguous, it throws before it creates a lock or a folder.
 */
export const withRun = <T>(
  context: OperationContext,
  name: string | undefined,
  work: Work<T>,
): T => changeRun(context, name, { takes: true, adopts: true }, work);

interface ChangeOptions<T> {
  /** A session that holds no run takes this one by changing it. */
  takes: boolean;
  /** From now on the run is more than its source. */
  adopts: boolean;
  /** What the live session whose run a person changes is told of the result, besides where its run stands. */
  newsOf?: (result: T) => string;
}

export function changeRun<T>(
  context: OperationContext,
  name: string | undefined,
  { takes, adopts, newsOf }: ChangeOptions<T>,
  work: Work<T>,
): T {
  findTargetRun(context, name);
  return transact(context, (tx) => {
    const found = requireRun(tx.runs, name, context);
    requireKnownFormat(found);
    // A move whose result nobody reads would lose the context action that it requests.
    if (context.signal?.aborted === true)
      throw new HoldfastError(
        'cancelled',
        `request cancelled; ${found.runId} was not changed`,
        {
          hint: 'try again',
        },
      );
    const adopted = adopts
      ? withState(found, { ...found.state, adopted: true })
      : found;
    const holder = otherHolder(context, found);
    const isTaking =
      holder === null && takes && takesChangedRun(context.caller);
    const run = isTaking ? heldByCaller(context, tx, adopted) : adopted;
    const isTaken = holderOf(run.state) !== holderOf(found.state);
    const log: Log = (event) =>
      withActor(context, isTaken ? { ...event, held: true } : event);
    const result = work(run, tx, log);
    if (isTaken)
      tellFormerHolder(tx, found, holderOf(run.state) ?? '', context.now);
    if (holder !== null) {
      const news = newsOf === undefined ? '' : newsOf(result);
      tellHolder(context, tx, found, holder, { news });
    }
    return result;
  });
}

/** The live session whose run a person changes from a terminal. An agent is refused. `holdfast run` has its own rules. */
export function otherHolder(
  context: OperationContext,
  run: StoredRun,
): string | null {
  if (context.caller.kind === 'driver') return null;
  const holder = liveHolder(run.state, context);
  if (holder === null || holder === context.session) return null;
  if (!mayChangeHeldRun(context.caller))
    throw heldByOther(context, run, holder);
  return holder;
}

/** The session is told at its next prompt or command, and the person who has typed the command is told of the session. */
export function tellHolder(
  context: OperationContext,
  tx: Transaction,
  run: StoredRun,
  holder: string,
  { endedAs, news = '' }: { endedAs?: RunState['status']; news?: string } = {},
): void {
  const { runId } = run;
  const { command = 'update' } = context;
  const after = tx.reread(run)?.state;
  const isHeld = after !== undefined && holderOf(after) === holder;
  const holds = isHeld ? 'holds' : 'held';
  const did = isHeld ? 'changed' : after === undefined ? 'ended' : 'released';
  const isCancelled = command === 'cancel';
  const ended = endedAs ?? (isCancelled ? 'cancelled' : 'completed');
  const { status = 'in_progress' } = after ?? { status: ended };
  const where =
    after !== undefined && status === 'in_progress'
      ? `at phase ${phaseWords(after.phase)}`
      : status;
  const text = `\`holdfast ${command}\`, by the user, ${did} ${asWord(run.state.workflow)} (${runId}), which this session ${holds}: it is ${where}${news === '' ? '' : `; ${news}`}`;
  tx.saveHookState(
    addMessage(tx.hookState, holder, { at: context.now.getTime(), text }),
  );
  context.warn(
    `session ${shortId(holder)} ${holds} ${runId}; it is told of this change at its next prompt`,
  );
}

/**
 * A session that holds no run and changes one that no live session holds becomes its holder: after the /clear that
 * a step may ask for, only the holder gets its run back. Such a run is not continued without a person: that takes a
 * command that names it as this session's, `start` or `resume`.
 */
function heldByCaller(
  context: OperationContext,
  tx: Transaction,
  run: StoredRun,
): StoredRun {
  const { session } = context;
  if (session === null || !isActive(run)) return run;
  const isHeld = holderOf(run.state) === session;
  if (!isHeld && heldRun(tx.runs, session) !== undefined)
    return withState(run, withoutRelease(run.state, session, context.now));
  const before = isHeld ? run.state.hold : undefined;
  const why: Hold = { by: 'command', ...before, touched: true };
  return withState(run, holdBy(context, session, run.state, why));
}

/** A transaction that also reports the state files it had to move aside. */
export const transact = <T>(
  context: OperationContext,
  work: (tx: Transaction) => T,
): T =>
  context.store.transaction((tx) => {
    for (const sentence of tx.setAside) context.warn(sentence);
    return work(tx);
  });

export function withActor(
  { caller, session }: OperationContext,
  event: NewEvent,
): NewEvent {
  return {
    ...event,
    by: channelOf(caller),
    ...(session === null ? {} : { session_id: session }),
  };
}

export function writeReleased(
  context: OperationContext,
  tx: Transaction,
  run: StoredRun,
  session: string | null,
): StoredRun {
  requireOutsideOwnGate(context, run);
  const state = releaseRun(run.state, session, context.now);
  return tx.write(run, state, withActor(context, { event: 'released' }));
}

export function heldByOther(
  context: OperationContext,
  { runId, state }: StoredRun,
  holder: string,
): HoldfastError {
  const record = sessionRecord(state, holder);
  const seen = timeAgo(lastSeen(record, context), context.now);
  const since = timeAgo(record?.started_at ?? '', context.now);
  const message = `${runId} is held by session ${asWord(holder)} since ${since}, last seen ${seen}; nothing was changed`;
  const hint = `if that session is done with it, a person can let it go: ${howToRelease(runId)}`;
  return new HoldfastError('held_by_other', message, { hint });
}

/** The state with the session as the holder of the run; the registry knows its project from then on. */
export function holdBy(
  { root, cwd, client, now, registry, environment }: OperationContext,
  session: string,
  state: RunState,
  why: Hold,
): RunState {
  registry.recordProject(session, root, client);
  return hold(
    state,
    session,
    environmentOf(root, cwd, client, environment),
    now,
    why,
  );
}
