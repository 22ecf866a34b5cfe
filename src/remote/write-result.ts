import { adoptRun, replaceJournal } from '../state/store/foreign-runs.ts';
import { endRun } from '../operations/end-run.ts';
import type { OperationContext } from '../operations/open-project.ts';
import type { NewEvent } from '../state/journal.ts';
import { ARCHIVE_FOLDER, archivedState } from '../state/paths.ts';
import type { Transaction } from '../state/store/store.ts';
import type { StoredRun } from '../state/types.ts';
import { sameJson } from '../util/json.ts';
import { appliedState, arrivedState } from './apply.ts';
import type { SyncedClone } from './clone.ts';
import { localJournal } from './journals.ts';
import { localizedEvents, localizedState } from './localize.ts';
import { isEnded } from '../state/ended.ts';
import type { Snapshot } from './snapshot.ts';

/** Writes a run that was not here before. */
export function receive(
  context: OperationContext,
  name: { runId: string; slug: string },
  result: Snapshot,
  archived: StoredRun | undefined,
  { place }: SyncedClone,
): void {
  const state = localizedState(arrivedState(result), context.root);
  const journal = localizedEvents(localJournal([], result.journals, place.machine), context.root);
  context.store.transaction((tx) => {
    if (tx.runs.some(({ runId }) => runId === name.runId)) return;
    const restored =
      archived === undefined
        ? undefined
        : tx.restoreArchived(name.runId, { event: 'reopened', machine: 'sync' }, () => state);
    if (restored === undefined) adoptRun(tx, name, state, journal);
    else replaceJournal(tx, restored, journal);
  });
}

/** False if the state file was changed meanwhile. */
export function applyTo(
  context: OperationContext,
  own: StoredRun,
  mine: Snapshot,
  result: Snapshot,
  { place }: SyncedClone,
): boolean {
  return context.store.transaction((tx) => {
    const current = currentOf(context, tx, own);
    if (current === undefined || !sameJson(current.state, own.state)) return false;
    const { machine } = place;
    const before = context.store.journal(current);
    const applied = appliedState(current.state, mine, result, {
      machine,
      now: context.now,
      journal: before,
    });
    const state = localizedState(applied, context.root);
    const journal = localizedEvents(localJournal(before, result.journals, machine), context.root);
    const isFinal = isEnded(state);
    const wasFinal = isInArchive(current);
    const event: NewEvent = { event: isFinal ? 'ended' : 'reopened', machine: 'sync' };
    const written =
      isFinal === wasFinal
        ? tx.write(current, state)
        : isFinal
          ? endRun(context, tx, current, state, event, false)
          : tx.restoreArchived(own.runId, event, () => state);
    if (written === undefined) return false;
    replaceJournal(
      tx,
      isFinal ? { ...written, path: archivedState(written.runId) } : written,
      journal,
    );
    return true;
  });
}

function currentOf(
  { store }: OperationContext,
  tx: Transaction,
  own: StoredRun,
): StoredRun | undefined {
  return isInArchive(own) ? store.archivedRun(own.runId) : tx.reread(own);
}

export function isInArchive({ path }: StoredRun): boolean {
  return path.startsWith(`${ARCHIVE_FOLDER}/`);
}
