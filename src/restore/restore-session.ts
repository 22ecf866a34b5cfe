import type { Settings } from '../settings/settings.ts';
import type { Transaction } from '../state/store/store.ts';
import type { StoredRun } from '../state/types.ts';
import { readSources } from '../sync/read-sources.ts';
import type { SourceFile } from '../sync/types.ts';
import {
  chooseRestoration,
  withContextActionDone,
  type Restoration,
  type RestorationInput,
} from './choose-restoration.ts';
import { decideUnderLock, type DecisionContext } from './decide-run.ts';
import { holdChosen, recordRestoration, type RecordContext } from './record-restoration.ts';
import { renderRestoration, type RenderedRestoration } from './render-restoration.ts';

export interface RestoreRequest
  extends DecisionContext, Omit<RestorationInput, 'session'>, Omit<RecordContext, 'session'> {
  settings: Settings;
  /** As they were listed before the lock was acquired. */
  runs: readonly StoredRun[];
  /** Null outside a compaction: then only the source of the chosen run is read. */
  sources: readonly SourceFile[] | null;
  /** The compaction was some time ago and has been recorded since. */
  isBelated?: boolean;
}

/** What a session gets back: chosen, rendered and recorded, under the lock. */
export function restoreSession(tx: Transaction, request: RestoreRequest): RenderedRestoration {
  const { session } = request;
  const decision = decideUnderLock(tx, request.runs, request);
  const chosen = chooseRestoration(decision, request);
  const held = session === null ? chosen : holdChosen(chosen, { ...request, session });
  const restoration = withContextActionDone(held, request);
  const sources = request.sources ?? sourcesOf(restoration, tx, request);
  const rendered = renderRestoration(restoration, { ...request, sources });
  if (session !== null) recordRestoration(tx, rendered, { ...request, session });
  return rendered;
}

function sourcesOf(
  restoration: Restoration,
  tx: Transaction,
  { root, settings }: RestoreRequest,
): readonly SourceFile[] {
  const path = 'run' in restoration ? restoration.run.state.source?.path : undefined;
  if (path === undefined) return [];
  const only = new Set([path]);
  return readSources(root, settings.detect, { only, sourceRecords: tx.sourceRecords }).sources;
}
