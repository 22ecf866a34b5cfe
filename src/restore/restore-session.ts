import type { RunChoice } from '../sessions/choose-run.ts';
import type { Settings } from '../settings/settings.ts';
import type { Transaction } from '../state/store/store.ts';
import type { StoredRun } from '../state/types.ts';
import { readSources } from '../sync/read-sources.ts';
import { startedPlans } from '../sync/source-state.ts';
import type { SourceFile } from '../sync/types.ts';
import {
  chooseRestoration,
  withContextActionDone,
  type RestorationInput,
} from './choose-restoration.ts';
import { decideUnderLock, type DecisionContext } from './decide-run.ts';
import { holdChosen, recordRestoration, type RecordContext } from './record-restoration.ts';
import { withTakenOver } from './taken-over.ts';
import { renderRestoration, type RenderedRestoration } from './render-restoration.ts';

export interface RestoreRequest
  extends
    DecisionContext,
    Omit<RestorationInput, 'session' | 'sources'>,
    Omit<RecordContext, 'session'> {
  settings: Settings;
  /** As they were listed before the lock was acquired. */
  runs: readonly StoredRun[];
  /** The compaction was some time ago and has been recorded since. */
  isBelated?: boolean;
  ownAgent?: string | null;
}

/** What a session gets back: chosen, rendered and recorded, under the lock. */
export function restoreSession(tx: Transaction, request: RestoreRequest): RenderedRestoration {
  const { session } = request;
  const decision = decideUnderLock(tx, request.runs, request);
  const sources = request.sources ?? sourcesOf(decision, tx, request);
  const chosen = chooseRestoration(decision, { ...request, sources });
  const held = session === null ? chosen : holdChosen(chosen, { ...request, session });
  const restoration = withContextActionDone(held, request);
  const rendered = withTakenOver(
    renderRestoration(restoration, { ...request, sources }),
    request.runs,
    session,
  );
  if (session !== null) recordRestoration(tx, rendered, { ...request, session });
  return rendered;
}

/** Outside a compaction nothing is detected: of a session's own run only its source matters. */
function sourcesOf(
  decision: RunChoice,
  tx: Transaction,
  { root, settings, runs }: RestoreRequest,
): readonly SourceFile[] {
  const decisive = decision.kind === 'run' ? [decision.run] : runs;
  const only = new Set(
    decisive.flatMap(({ state: { source } }) =>
      source?.kind === 'plan' || source?.kind === 'local-file' ? (source.path ?? []) : [],
    ),
  );
  if (only.size === 0) return [];
  const options = { only, started: startedPlans(decisive), sourceRecords: tx.sourceRecords };
  return readSources(root, settings.detect, options).sources;
}
