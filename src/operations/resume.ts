import { HoldfastError } from '../errors/holdfast-error.ts';
import { recordPendingReads } from '../reading/record-pending-reads.ts';
import { fullRestoration } from '../restore/choose-restoration.ts';
import { renderRestoration } from '../restore/render-restoration.ts';
import { loadedDetails, recordLoaded } from '../sessions/context-record.ts';
import { holderOf, liveHolder, sessionRecord, withoutBusyHolder } from '../sessions/holder.ts';
import { byRecency, isActive } from '../sessions/select-run.ts';
import { isEnded } from '../state/ended.ts';
import { isArchived } from '../state/paths.ts';
import type { NewEvent } from '../state/journal.ts';
import type { Transaction } from '../state/store/store.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { readSources } from '../sync/read-sources.ts';
import { startedPlans } from '../sync/source-state.ts';
import type { SourceFile } from '../sync/types.ts';
import { machineOf, withMachine } from '../workflow/template-run.ts';
import { storeIfDetected } from './detected-run.ts';
import { holdBy } from './move-run.ts';
import { ambiguousRunError, unreadableFiles } from './named-run.ts';
import type { OperationContext } from './open-project.ts';
import { reopenIn, reopenRun } from './reopen.ts';
import { callerSession, findRunAnywhere, requireOutsideOwnGate, requireRun } from './target-run.ts';
import { requireNotHeldByOther, transact, withActor, writeReleased } from './with-run.ts';

export interface ResumedRun {
  run: StoredRun;
  /** What the session needs to continue; null in a terminal, where no session takes the run. */
  guidance: string | null;
  /** The runs that the session held before. */
  released: StoredRun[];
}

/**
 * Continues a run here: a paused or failed run becomes active again, and the session that asks takes it. Without a
 * name, the run that was paused is meant, else the only one that is free.
 */
export function resumeRun(
  context: OperationContext,
  name: string | undefined,
  options: { force: boolean },
): ResumedRun {
  const requireAllowed = (run: StoredRun): void => {
    requireOutsideOwnGate(context, run);
    requireResumable(context, run);
  };
  if (name !== undefined || !isPausedMeant(context, context.store.list().runs))
    storeIfDetected(context, name, requireAllowed);
  const pick = (runs: readonly StoredRun[]): StoredRun => {
    const run =
      name === undefined ? unnamedRun(context, runs) : findRunAnywhere(context, name, runs);
    requireAllowed(run);
    return run;
  };
  const ended = name === undefined ? null : endedRun(context, name);
  if (ended === null) pick(context.store.list().runs);
  else if (context.session === null)
    return { run: reopenRun(context, ended.runId), guidance: null, released: [] };
  const stored = ended === null ? context.store.list().runs : [ended];
  const started = startedPlans(stored);
  const { sources } = readSources(context.root, context.settings.detect, { started });
  return transact(context, (tx) => {
    const run = ended === null ? pick(tx.runs) : reopenIn(context, tx, ended);
    const session = callerSession(context, tx.runs);
    return session === null
      ? unpause(context, tx, run)
      : takeRun(context, tx, run, { session, sources, force: options.force });
  });
}

/** A finished or cancelled run is reopened first. */
function endedRun(context: OperationContext, name: string): StoredRun | null {
  const run = findRunAnywhere(context, name);
  return isArchived(run) || isEnded(run.state) ? run : null;
}

/** In a terminal there is no session to take the run; it can only be made active again. */
function unpause(context: OperationContext, tx: Transaction, run: StoredRun): ResumedRun {
  const event = withActor(context, { event: 'resumed' });
  const state = withoutBusyHolder(reactivated(run.state), tx.runs);
  return { run: tx.write(run, state, event), guidance: null, released: [] };
}

function takeRun(
  context: OperationContext,
  tx: Transaction,
  run: StoredRun,
  { session, sources, force }: { session: string; sources: SourceFile[]; force: boolean },
): ResumedRun {
  if (isActive(run) && !force) requireNotHeldByOther(context, run, session, 'resume');
  const others = byRecency(tx.runs.filter((other) => other !== run && isActive(other)));
  const released = others.filter((other) => holderOf(other.state) === session);
  // The guidance lists the other runs as they are now.
  const freed = new Map(
    released.map((other) => [other, writeReleased(context, tx, other, session)]),
  );
  const runs = tx.runs.map((other) => freed.get(other) ?? other);

  const active = isActive(run) ? run.state : reactivated(run.state);
  const held = holdBy(context, session, active, 'command');
  const { guidance } = renderRestoration(
    fullRestoration({ ...run, state: held }, { rule: 'named' }, { runs, session }),
    { ...context, sources, source: 'startup' },
  );
  const state = recordLoaded(held, guidance?.inlined ?? [], 'session_start', context.now);
  const event: NewEvent = isActive(run)
    ? { event: 'claimed', from: liveHolder(run.state, context) }
    : { event: 'resumed' };
  const recorded = { ...event, ...loadedDetails(held, state) };
  const resumed = tx.write(run, state, withActor(context, recorded));
  if (context.settings.reading.enforce !== 'off')
    recordPendingReads(context, tx, { session, kind: 'full', run: resumed });
  return { run: resumed, guidance: guidance?.text ?? '', released };
}

function requireResumable(context: OperationContext, { runId, state }: StoredRun): void {
  const status = state.status ?? 'in_progress';
  if (status === 'in_progress') {
    if (context.session === null) throw new HoldfastError({ code: 'no_session', run: runId });
  } else if (status !== 'paused' && status !== 'failed') {
    throw new HoldfastError({ code: 'not_paused', run: runId, status });
  }
}

/** A run whose step failed continues at that step. */
function reactivated(state: RunState): RunState {
  const machine = machineOf(state);
  const isFailed = machine !== null && machine.state.status === 'failed';
  if (isFailed) machine.reopen();
  const { status_reason: _reason, ...rest } = isFailed ? withMachine(state, machine) : state;
  return { ...rest, status: 'in_progress', adopted: true };
}

/** The run that was paused; where none is, the one that a command would change. */
function unnamedRun(context: OperationContext, runs: readonly StoredRun[]): StoredRun {
  const paused = pausedRun(runs, callerSession(context, runs));
  if (paused !== null) return paused;
  if (isPausedMeant(context, runs) || !runs.some(isActive)) {
    const unreadable = unreadableFiles(context.store.list());
    throw new HoldfastError({ code: 'nothing_paused', unreadable });
  }
  return requireRun(runs, undefined, context);
}

/** A terminal cannot take a run that is active, and a session that paused a run wants that one back. */
function isPausedMeant({ session }: OperationContext, runs: readonly StoredRun[]): boolean {
  return session === null || runs.some(isPaused);
}

function isPaused({ state }: StoredRun): boolean {
  return state.status === 'paused' || state.status === 'failed';
}

/** The paused or failed run that this session worked on, else the only one; null if no run is paused or failed. */
function pausedRun(runs: readonly StoredRun[], session: string | null): StoredRun | null {
  const paused = byRecency(runs.filter(isPaused));
  const own = paused.filter(
    ({ state }) => session !== null && sessionRecord(state, session) !== undefined,
  );
  const candidates = own.length > 0 ? own : paused;
  const [first, second] = candidates;
  if (second === undefined) return first ?? null;
  throw ambiguousRunError(null, candidates, true);
}
