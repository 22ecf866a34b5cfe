import type { SourceFile } from '../sync/types.ts';
import { summaryInstructions } from '../guidance/summary-instructions.ts';
import { holderOf, liveHolder, touch } from '../sessions/holder.ts';
import { markCompacting, isDuplicateCall, recordCall } from '../state/store/hook-memory.ts';
import { chooseRestoration, type Restoration } from '../restore/choose-restoration.ts';
import { isActive } from '../sessions/select-run.ts';
import type { Transaction } from '../state/store/store.ts';
import { dormantRuns } from '../sync/plan-sync.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import type { Reply } from './protocol.ts';
import { chooseUnderLock } from '../restore/prepare-restoration.ts';
import { stepLabel } from '../workflow/run-view.ts';
import { callKey, detectAndSync, type HookContext } from './context.ts';

/** Saves what is under way, and tells the summariser what must survive. Never JSON, never a block. */
export function preCompact(around: HookContext): Reply {
  const { runs, sources } = detectAndSync(around);
  if (!runs.some(isActive)) return null;
  return around.store.transaction((tx) => {
    const now = around.now.getTime();
    if (isDuplicateCall(tx.hookMemory, callKey(around), now)) return null;
    const { session } = around.input;
    const choice = chooseUnderLock(tx, runs, (known) => choose(around, known, sources));
    if (choice.kind === 'full' && session !== null && holderOf(choice.run.state) === session) {
      keep(tx, choice.run, touch(withNothingLoaded(choice.run.state), session, around.now));
    }
    const memory = recordCall(tx.hookMemory, callKey(around), now);
    tx.keepHookMemory(session === null ? memory : markCompacting(memory, session, now));
    if (choice.kind !== 'full') return null;
    const { state } = choice.run;
    return summaryInstructions(state, stepLabel(state));
  });
}

function choose(
  around: HookContext,
  runs: readonly StoredRun[],
  sources: readonly SourceFile[],
): Restoration {
  const isHeld = (run: StoredRun): boolean => liveHolder(run.state, around) !== null;
  return chooseRestoration({
    ...around,
    runs,
    session: around.input.session,
    source: 'compact',
    awaitsContext: () => false,
    isAttended: true,
    startup: around.settings.restore.startup,
    dormant: dormantRuns({ sources, runs, isHeld }),
  });
}

/** After the compaction nothing of what this session had loaded is in its context any more. */
function withNothingLoaded(state: RunState): RunState {
  const metadata = state.context_metadata;
  if ((metadata?.artifacts_in_context ?? []).length === 0) return state;
  return { ...state, context_metadata: { ...metadata, artifacts_in_context: [] } };
}

function keep(tx: Transaction, run: StoredRun, state: RunState): void {
  if (state !== run.state) tx.write(run, state);
}
