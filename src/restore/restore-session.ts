import type { Settings } from '../settings/settings.ts';
import type { Transaction } from '../state/store/store.ts';
import type { StoredRun } from '../state/types.ts';
import { readSources } from '../sync/read-sources.ts';
import type { SourceFile } from '../sync/types.ts';
import {
  chooseRestoration,
  withContextActionDone,
  type RestorationInput,
} from './choose-restoration.ts';
import { decideUnderLock, type DecisionContext } from './decide-run.ts';
import { holdChosen, recordRestoration, type RecordContext } from './record-restoration.ts';
import { renderRestoration, type RenderedRestoration } from './render-restoration.ts';

export interface RestoreRequest
  extends
    Omit<DecisionContext, 'sources'>,
    Omit<RestorationInput, 'session' | 'sources'>,
    Omit<RecordContext, 'session'> {
  settings: Settings;
  /** As they were listed before the lock was acquired. */
  runs: readonly StoredRun[];
  /** Null outside a compaction: then only the sources of known runs are read. */
  sources: readonly SourceFile[] | null;
  /** The compaction was some time ago and has been recorded since. */
  isBelated?: boolean;
}

/** What a session gets back: chosen, rendered and recorded, under the lock. */
export function restoreSession(tx: Transaction, request: RestoreRequest): RenderedRestoration {
  const { session } = request;
  const sources = request.sources ?? sourcesOf(tx, request);
  const input = { ...request, sources };
  const chosen = chooseRestoration(decideUnderLock(tx, request.runs, input), input);
  const held = session === null ? chosen : holdChosen(chosen, { ...request, session });
  const rendered = renderRestoration(withContextActionDone(held, request), input);
  if (session !== null) recordRestoration(tx, rendered, { ...request, session });
  return rendered;
}

/** Of known runs only: workflows are detected at a compaction. */
function sourcesOf(tx: Transaction, { root, settings, runs }: RestoreRequest): SourceFile[] {
  const only = new Set(runs.flatMap(({ state }) => state.source?.path ?? []));
  if (only.size === 0) return [];
  return readSources(root, settings.detect, { only, sourceRecords: tx.sourceRecords }).sources;
}
