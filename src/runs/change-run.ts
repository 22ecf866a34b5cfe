import { environmentOf } from '../sessions/client-process.ts';
import {
  hold,
  holderOf,
  lastSeen,
  liveHolder,
  releaseRun,
  sessionRecord,
  tellFormerHolder,
  withoutRelease,
  type Hold,
} from '../sessions/holder.ts';
import { isActive } from '../sessions/select-run.ts';
import type { NewEvent } from '../state/journal.ts';
import { phaseLabel } from '../state/phases.ts';
import { addMessage } from '../state/store/hook-state.ts';
import type { Transaction } from '../state/store/store.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { sanitizeLine, shortId } from '../text/sanitize.ts';
import { howToRelease, findTargetRun, requireOutsideOwnGate, requireRun } from './which-run.ts';
import { isRunByAgent, type OperationContext, callerSession } from '../sessions/open-project.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { timeAgo } from '../text/relative-time.ts';

/** For the journal: whether this call made the session the holder of the run. */
export interface Taken {
  held?: true;
}

export interface ChangeOptions {
  /** Whether a session that holds no run takes this one by changing it. */
  takes: boolean;
}

/** Changes one run under the lock and records the change in its journal. */
export function changeRun(
  context: OperationContext,
  name: string | undefined,
  change: (run: StoredRun, tx: Transaction) => { state: RunState; event: NewEvent },
  options?: ChangeOptions,
): StoredRun {
  return withRun(
    context,
    name,
    (run, tx, taken) => {
      const { state, event } = change(run, tx);
      return tx.write(run, state, withActor(context, { ...event, ...taken }));
    },
    options,
  );
}

/** Runs `work` under the lock. If the target is ambiguous, it throws before it creates a lock or a folder. */
export function withRun<T>(
  context: OperationContext,
  name: string | undefined,
  work: Work<T>,
  options?: ChangeOptions,
): T {
  findTargetRun(context, name);
  return withLockedRun(context, name, work, options);
}

/** Gets the run with its holder as it is after the change, which the work saves. */
type Work<T> = (run: StoredRun, tx: Transaction, taken: Taken) => T;

/** Like `withRun`, for a caller that has already looked up the run. */
export function withLockedRun<T>(
  context: OperationContext,
  name: string | undefined,
  work: Work<T>,
  { takes }: ChangeOptions = { takes: true },
): T {
  return transact(context, (tx) => {
    const found = requireRun(tx.runs, name, context);
    const holder = otherHolder(context, tx, found);
    if (holder !== null) {
      const result = work(found, tx, {});
      tellHolder(context, tx, found, holder);
      return result;
    }
    const isTaken = takes && context.by !== 'run';
    const { run, taken } = isTaken ? heldByCaller(context, tx, found) : { run: found, taken: {} };
    return work(run, tx, taken);
  });
}

/** The live session whose run a person changes from a terminal. An agent is refused. `holdfast run` has its own rules. */
function otherHolder(context: OperationContext, tx: Transaction, run: StoredRun): string | null {
  if (context.by === 'run') return null;
  const holder = liveHolder(run.state, context);
  if (holder === null || holder === callerSession(context, tx.runs)) return null;
  if (isRunByAgent(context)) throw heldByOther(context, run, holder);
  return holder;
}

/** The session is told at its next prompt or command, and the person who has typed the command is told of the session. */
function tellHolder(
  context: OperationContext,
  tx: Transaction,
  run: StoredRun,
  holder: string,
): void {
  const { runId } = run;
  const { workflow } = run.state;
  const after = tx.reread(run)?.state;
  const where =
    after?.status === 'in_progress'
      ? `it is at phase ${sanitizeLine(phaseLabel(after.phase))}`
      : `it is ${after?.status ?? 'over'}`;
  const text = `\`holdfast ${context.command ?? 'update'}\` in a terminal changed ${sanitizeLine(workflow)} (${runId}), which this session holds: ${where}`;
  tx.saveHookState(addMessage(tx.hookState, holder, { at: context.now.getTime(), text }));
  context.warn(
    `session ${shortId(holder)} holds ${runId}; it is told of this change at its next prompt`,
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
): { run: StoredRun; taken: Taken } {
  const session = callerSession(context, tx.runs);
  if (session === null || !isActive(run)) return { run, taken: {} };
  const isHeld = holderOf(run.state) === session;
  const isBusy = tx.runs.some(
    (other) => other.runId !== run.runId && isActive(other) && holderOf(other.state) === session,
  );
  if (isBusy && !isHeld)
    return { run: { ...run, state: withoutRelease(run.state, session, context.now) }, taken: {} };
  if (!isHeld) tellFormerHolder(tx, run, session, context.now);
  const before = isHeld ? run.state.hold : undefined;
  const state = holdBy(context, session, run.state, { by: 'command', ...before, touched: true });
  return { run: { ...run, state }, taken: isHeld ? {} : { held: true } };
}

/** A transaction that also reports the state files it had to move aside. */
export function transact<T>(context: OperationContext, work: (tx: Transaction) => T): T {
  return context.store.transaction((tx) => {
    for (const sentence of tx.setAside) context.warn(sentence);
    return work(tx);
  });
}

export function withActor(
  { by, session }: OperationContext,
  event: NewEvent,
): NewEvent & { by: string } {
  return { ...event, by, ...(session === null ? {} : { session_id: session }) };
}

/** Releases a run and returns its new state. */
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
  return new HoldfastError(
    'held_by_other',
    `${runId} is held by session ${holder} since ${since}, last seen ${seen}; nothing was changed`,
    { hint: `if that session is done with it, a person can let it go: ${howToRelease(runId)}` },
  );
}

/** The state with the session as the holder of the run; the registry knows its project from then on. */
export function holdBy(
  { root, cwd, client, now, registry }: OperationContext,
  session: string,
  state: RunState,
  why: Hold,
): RunState {
  registry.recordProject(session, root);
  return hold(state, session, environmentOf(root, cwd, client), now, why);
}
