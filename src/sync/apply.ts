import { endRun } from '../runs/move-run.ts';
import { holderOf, machineOfHolder } from '../sessions/holder.ts';
import type { OperationContext, Project } from '../sessions/open-project.ts';
import type { NewEvent } from '../state/journal.ts';
import { archivedState, isArchived } from '../state/paths.ts';
import { phaseWords } from '../state/phase-words.ts';
import { isEnded } from '../state/phases.ts';
import { adoptRun, replaceJournal } from '../state/store/foreign-runs.ts';
import { addMessage } from '../state/store/messages.ts';
import { readJournalOf } from '../state/store/journal-files.ts';
import { readArchivedRun } from '../state/store/run-files.ts';
import type { Transaction } from '../state/store/store.ts';
import type { FieldConflict, RunState, Run } from '../state/types.ts';
import { sameJson } from '../text/json.ts';
import { asWord, shortId } from '../text/sanitize.ts';
import { slugOf } from '../text/slug.ts';
import type { Snapshot } from './commits.ts';
import { localJournal } from './journals.ts';
import { appliedState, arrivedState, newConflicts } from './applied-state.ts';
import type { Work } from './work.ts';

/** Writes a run that was not here before, or is here only in the archive. */
export function receiveRun(
  { context, clone }: Work,
  runId: string,
  snapshot: Snapshot,
): void {
  const { store } = context;
  const state = arrivedState(snapshot);
  const events = localJournal([], snapshot.journals, clone.place.machine);
  const wasArchived = readArchivedRun(store.root, runId) !== undefined;
  store.transaction((tx) => {
    if (tx.runs.some((run) => run.runId === runId)) return;
    const event: NewEvent = { event: 'reopened', machine: 'sync' };
    const restored = wasArchived
      ? tx.restoreArchived(runId, event, () => state)
      : undefined;
    if (restored === undefined) {
      const name = { runId, slug: slugOf(state.workflow) };
      adoptRun(tx, name, state, events);
    } else {
      replaceJournal(tx, restored, events);
    }
  });
}

/**
 * Writes what a merge changes in a run of this machine. `mine` is what was sent of `own`. Returns what the merge
 * decided; null if the state file was changed meanwhile.
 */
export function applyMerge(
  { context, clone }: Work,
  own: Run,
  mine: Snapshot,
  merged: Snapshot,
): FieldConflict[] | null {
  const { now, store } = context;
  const { machine } = clone.place;
  return store.transaction((tx) => {
    const current = isArchived(own)
      ? readArchivedRun(store.root, own.runId)
      : tx.reread(own);
    if (current === undefined || !sameJson(current.state, own.state))
      return null;

    const journal = readJournalOf(store.root, current);
    const state = appliedState(current.state, mine, merged, {
      machine,
      now,
      journal,
    });
    const written = writeApplied(context, tx, current, state);
    if (written === undefined) return null;

    tellFormerHolder(context, tx, current, written);
    const path = isEnded(state) ? archivedState(written.runId) : written.path;
    const events = localJournal(journal, merged.journals, machine);
    replaceJournal(tx, { ...written, path }, events);
    return newConflicts(mine, merged, journal);
  });
}

/** A run that ended elsewhere goes to the archive, and one that was reopened comes back from it. */
function writeApplied(
  context: OperationContext,
  tx: Transaction,
  current: Run,
  state: RunState,
): Run | undefined {
  const wasArchived = isArchived(current);
  if (isEnded(state) === wasArchived) return tx.write(current, state);
  if (wasArchived) {
    const reopened: NewEvent = { event: 'reopened', machine: 'sync' };
    return tx.restoreArchived(current.runId, reopened, () => state);
  }
  const ended: NewEvent = { event: 'ended', machine: 'sync' };
  return endRun(context, context.caller, tx, current, state, ended);
}

/** A session here whose run went on or ended elsewhere is told at its next prompt or command. */
function tellFormerHolder(
  { now }: Project,
  tx: Transaction,
  before: Run,
  after: Run,
): void {
  const former = holderOf(before.state);
  if (former === null) return;
  const text = isEnded(after.state)
    ? endedElsewhere(before, after)
    : takenElsewhere(former, after);
  if (text === null) return;
  const message = { at: now.getTime(), text };
  tx.saveHookState(addMessage(tx.hookState, former, message));
}

/** Null if the run had ended here as well. */
function endedElsewhere(before: Run, { runId, state }: Run): string | null {
  if (isEnded(before.state)) return null;
  const run = `${asWord(state.workflow)} (${runId}), which this session held`;
  return `${run}, was ${state.status} on another machine; \`holdfast reopen ${runId}\` brings it back`;
}

/** Null if no session of another machine has taken the run. */
function takenElsewhere(former: string, { runId, state }: Run): string | null {
  const holder = holderOf(state);
  const machine = machineOfHolder(state);
  if (holder === former || machine === null) return null;
  const run = `${asWord(state.workflow)} (${runId}), which this session held`;
  const session = `session ${shortId(holder ?? '')} on machine ${asWord(machine)}`;
  return `${session} took ${run}; it is at phase ${phaseWords(state.phase)} there, and \`holdfast resume ${runId}\` takes it back`;
}
