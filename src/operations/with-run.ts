import { HoldfastError } from '../errors/holdfast-error.ts';
import { lastSeen, liveHolder, releaseRun, sessionRecord } from '../sessions/holder.ts';
import type { NewEvent } from '../state/journal.ts';
import type { Transaction } from '../state/store/store.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { timeAgo } from '../util/relative-time.ts';
import { givenSession, type OperationContext } from './open-project.ts';
import { findTargetRun, requireOutsideOwnGate, requireRun } from './target-run.ts';

/** Changes one run under the lock and records the change in its journal. */
export function changeRun(
  context: OperationContext,
  name: string | undefined,
  change: (run: StoredRun, tx: Transaction) => { state: RunState; event: NewEvent },
): StoredRun {
  return withRun(context, name, (run, tx) => {
    const { state, event } = change(run, tx);
    return tx.write(run, state, withActor(context, event));
  });
}

/** Runs `work` under the lock. If the target is ambiguous, it throws before it creates a lock or a folder. */
export function withRun<T>(
  context: OperationContext,
  name: string | undefined,
  work: (run: StoredRun, tx: Transaction) => T,
): T {
  findTargetRun(context, name);
  return withLockedRun(context, name, work);
}

/** Like `withRun`, for a caller that has already looked up the run. */
export function withLockedRun<T>(
  context: OperationContext,
  name: string | undefined,
  work: (run: StoredRun, tx: Transaction) => T,
): T {
  return transact(context, (tx) => work(requireRun(tx.runs, name, context), tx));
}

/** A transaction that also reports the state files it had to move aside. */
export function transact<T>(context: OperationContext, work: (tx: Transaction) => T): T {
  return context.store.transaction((tx) => {
    for (const file of tx.setAside) context.warn({ code: 'set_aside', ...file });
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

/** Throws if a live session other than `session` holds the run. */
export function requireNotHeldByOther(
  context: OperationContext,
  run: StoredRun,
  session: string,
  verb: 'resume' | 'release',
): void {
  const holder = liveHolder(run.state, context);
  if (holder === null || holder === session) return;
  const seen = timeAgo(lastSeen(sessionRecord(run.state, holder), context), context.now);
  const isGiven = context.session !== givenSession(undefined, context.environment);
  const given = isGiven ? (context.session ?? undefined) : undefined;
  throw new HoldfastError({
    code: 'held_by_other',
    run: run.runId,
    session: holder,
    seen,
    verb,
    given,
  });
}
