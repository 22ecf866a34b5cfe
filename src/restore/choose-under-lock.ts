import { findHandedOverRun, takeOverRun, type NewSession } from '../sessions/hand-over.ts';
import { holderOf } from '../sessions/holder.ts';
import { isActive } from '../sessions/select-run.ts';
import type { Settings } from '../settings/settings.ts';
import type { Transaction } from '../state/store/store.ts';
import type { Environment, StoredRun } from '../state/types.ts';
import { readSources } from '../sync/read-sources.ts';
import type { SourceFile } from '../sync/types.ts';
import { sameJson } from '../util/json.ts';
import {
  chooseRestoration,
  type Restoration,
  type RestorationInput,
} from './choose-restoration.ts';

export interface ChoiceRequest extends Omit<RestorationInput, 'sources'> {
  root: string;
  settings: Settings;
  /** As they were listed before the lock was acquired. */
  runs: readonly StoredRun[];
  /** Null outside a compaction: then only the sources of the runs themselves are read. */
  sources: readonly SourceFile[] | null;
  /** A session that may take over a run of the session before it. */
  arrival: { session: NewSession; environment: Environment } | null;
}

export interface ChosenRestoration {
  choice: Restoration;
  sources: readonly SourceFile[];
}

/** Chooses from the runs listed before the lock; if the chosen run has changed since, chooses again from the current ones. */
export function chooseUnderLock(tx: Transaction, request: ChoiceRequest): ChosenRestoration {
  const first = chooseFrom(request.runs, tx, request);
  return isUnchanged(first.choice, tx, request.runs) ? first : chooseFrom(tx.runs, tx, request);
}

function chooseFrom(
  listed: readonly StoredRun[],
  tx: Transaction,
  request: ChoiceRequest,
): ChosenRestoration {
  const sources = request.sources ?? sourcesOf(listed, tx, request);
  const runs = request.arrival === null ? listed : handOver(listed, request.arrival);
  return { choice: chooseRestoration({ ...request, runs, sources }), sources };
}

/** A session that holds a run gets that one, so the sources of the others do not matter. */
function sourcesOf(
  runs: readonly StoredRun[],
  tx: Transaction,
  { root, settings, session }: ChoiceRequest,
): readonly SourceFile[] {
  const own = runs.filter(
    (run) => isActive(run) && session !== null && holderOf(run.state) === session,
  );
  const decisive = own.length > 0 ? own : runs;
  const only = new Set(decisive.flatMap(({ state }) => state.source?.path ?? []));
  return readSources(root, settings.detect, { only, sourceRecords: tx.sourceRecords }).sources;
}

function handOver(
  runs: readonly StoredRun[],
  { session, environment }: NonNullable<ChoiceRequest['arrival']>,
): StoredRun[] {
  const handedOver = findHandedOverRun(runs, session);
  return runs.map((run) =>
    run === handedOver ? { ...run, state: takeOverRun(run.state, session, environment) } : run,
  );
}

function isUnchanged(choice: Restoration, tx: Transaction, listed: readonly StoredRun[]): boolean {
  if (!('run' in choice)) return true;
  const current = tx.reread(choice.run);
  const before = listed.find((run) => run.runId === current?.runId);
  return current !== undefined && sameJson(current.state, before?.state);
}
