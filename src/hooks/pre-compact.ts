import { summariserText } from '../guidance/summariser.ts';
import { holderOf } from '../sessions/history.ts';
import { isRepeated, withCall } from '../sessions/hook-memory.ts';
import { chooseRestoration } from '../state/restore.ts';
import { isActive } from '../state/select.ts';
import { dormantRuns } from '../state/sync.ts';
import { liveHolder } from '../sessions/history.ts';
import type { Transaction } from '../state/store.ts';
import type { StoredRun } from '../state/types.ts';
import type { Reply } from './protocol.ts';
import { callKey, detect, type Surroundings } from './surroundings.ts';

/** Saves what is under way, and tells the summariser what must survive. Never JSON, never a block. */
export function preCompact(around: Surroundings): Reply {
  const { runs, sources } = detect(around);
  if (!runs.some(isActive)) return null;
  return around.store.transaction((tx) => {
    const now = around.now.getTime();
    if (isRepeated(tx.hookMemory, callKey(around), now)) return null;
    const { session } = around.input;
    const choice = chooseRestoration({
      ...around,
      runs: tx.runs,
      session,
      source: 'compact',
      isAttended: true,
      startup: around.settings.restore.startup,
      dormant: dormantRuns({
        sources,
        runs: tx.runs,
        isHeld: (run) => liveHolder(run.state, around) !== null,
      }),
    });
    if (choice.kind !== 'full') return null;
    tx.keepHookMemory(withCall(tx.hookMemory, callKey(around), now));
    if (session !== null && holderOf(choice.run.state) === session) forgetLoaded(tx, choice.run);
    return summariserText(choice.run.state);
  });
}

/** After the compaction nothing of what this session had loaded is in its context any more. */
function forgetLoaded(tx: Transaction, run: StoredRun): void {
  const metadata = run.state.context_metadata;
  if ((metadata?.artifacts_in_context ?? []).length === 0) return;
  tx.write(run, { ...run.state, context_metadata: { ...metadata, artifacts_in_context: [] } });
}
