import type { ContextCommand } from '../machine/machine-state.ts';
import { type Caller, sessionOf } from '../sessions/caller.ts';
import { holderOf } from '../sessions/holder.ts';
import type { Project } from '../sessions/open-project.ts';
import { sourcesByRun } from '../sources/plan-sync.ts';
import { readSyncInput } from '../sources/read-sources.ts';
import { recordEnd, recordSources } from '../sources/source-records.ts';
import type { NewEvent } from '../state/journal.ts';
import { passedBySteps } from '../state/progress.ts';
import { withState } from '../state/run.ts';
import { requireKnownFormat } from '../state/store/state-format.ts';
import type { Transaction } from '../state/store/store.ts';
import { takeContextAction } from '../state/template-run.ts';
import type { Run, RunState } from '../state/types.ts';
import { recordToldWait } from '../templates/waits.ts';
import {
  artifactsAtMove,
  type DueArtifacts,
  requireArtifacts,
} from './due-artifacts.ts';
import { loadedDetails } from '../state/in-context.ts';

export interface Delivery {
  run: Run;
  /** What the user has to type before the run goes on; null if nothing is due. */
  action: ContextCommand | null;
}

export interface Moved extends Delivery {
  /** The artifacts due at this move; those not yet in the session's context come with their content. */
  artifacts: DueArtifacts;
}

export interface Move {
  before: Run;
  after: Run;
  event: NewEvent;
  /** False if a person has moved it at a terminal: what is due stays due for the session that works on the run. */
  isForSession?: boolean;
  /** Refuses a move that lacks a required artifact. */
  isStrict?: boolean;
}

/**
 * Saves a run that was moved, with the artifacts that are due there. The context action that is due counts as requested
 * if the session that works on the run reads this reply; a terminal only shows it. A run with nothing left to do is ended.
 */
export function saveMove(
  project: Project,
  caller: Caller,
  tx: Transaction,
  { before, after, event, isForSession = true, isStrict = false }: Move,
): Moved {
  const due = artifactsAtMove(project, caller, before, after, isForSession);
  const { run: moved, ...artifacts } = due;
  if (isStrict) requireArtifacts(before, artifacts.absent);
  const recorded = {
    ...event,
    ...passedByDetails(before, moved),
    ...loadedDetails(before.state, moved.state),
  };
  if (moved.state.status === 'completed') {
    const run = endRun(project, caller, tx, moved, moved.state, recorded);
    return { run, action: null, artifacts };
  }
  const { run: requested, action } = isForSession
    ? takeContextAction(moved, project.now.toISOString())
    : { run: moved, action: null };
  const saved = isReadByHolder(caller, moved.state) ? requested : moved;
  const run = tx.write(saved, saved.state, recorded);
  if (isForSession) recordToldWait(project.registry, sessionOf(caller), run);
  return { run, action, artifacts };
}

/** Agents without a session have no holder, and `holdfast run` performs the action itself. */
export function isReadByHolder(caller: Caller, state: RunState): boolean {
  const session = sessionOf(caller);
  return session === null
    ? caller.kind !== 'person'
    : holderOf(state) === session;
}

/** Archives the run and records what its sources declare now, so that they only offer to start it again. */
export function endRun(
  { root, settings, now }: Pick<Project, 'root' | 'settings' | 'now'>,
  caller: Caller,
  tx: Transaction,
  run: Run,
  state: RunState,
  event: NewEvent,
  purge = false,
): Run {
  requireKnownFormat(run);
  const session = sessionOf(caller);
  const { input } = readSyncInput({ root, settings, now, session }, tx);
  const isCancelled = state.status === 'cancelled';
  const as = isCancelled ? 'cancelled' : 'completed';
  const updates = sourcesByRun(input).get(run.runId) ?? [];
  const records = recordSources(tx.sourceRecords, [
    { updates, runId: run.runId },
  ]);
  const ended = withState(run, state);
  tx.saveSourceRecords(
    recordEnd(records, ended, purge ? 'deleted' : as, input),
  );
  return tx.end(run, isCancelled ? state : completed(state), event, { purge });
}

/** Why a run was paused or blocked before is not why it was completed. */
function completed(state: RunState): RunState {
  const { status_reason: _reason, ...rest } = state;
  return { ...rest, status: 'completed' };
}

/** For the journal: the steps that this move passed by, because their conditions were false. */
export function passedByDetails(
  before: Run | null,
  after: Run,
): { passed_by?: string[] } {
  const passedBefore = before === null ? [] : passedBySteps(before);
  const known = new Set(passedBefore.map(({ id }) => id));
  const passed = passedBySteps(after).filter(({ id }) => !known.has(id));
  return passed.length === 0 ? {} : { passed_by: passed.map(({ id }) => id) };
}
