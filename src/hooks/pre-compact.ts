import { summariserText } from '../guidance/summariser.ts';
import { holderOf, liveHolder, markSeen } from '../sessions/history.ts';
import { beforeCompaction, isRepeated, withCall } from '../sessions/hook-memory.ts';
import { chooseRestoration, type Restoration } from '../state/restore.ts';
import { isActive } from '../state/select.ts';
import type { Transaction } from '../state/store.ts';
import { dormantRuns, type SourceFile } from '../state/sync.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import type { Reply } from './protocol.ts';
import { settled } from './restoration.ts';
import { stepRoomFor } from './step-room.ts';
import { callKey, detect, type Surroundings } from './surroundings.ts';

/** Saves what is under way, and tells the summariser what must survive. Never JSON, never a block. */
export function preCompact(around: Surroundings): Reply {
  const { runs, sources } = detect(around);
  if (!runs.some(isActive)) return null;
  return around.store.transaction((tx) => {
    const now = around.now.getTime();
    if (isRepeated(tx.hookMemory, callKey(around), now)) return null;
    const { session } = around.input;
    const choice = settled(tx, runs, (known) => choose(around, known, sources));
    if (choice.kind === 'full' && session !== null && holderOf(choice.run.state) === session) {
      keep(tx, choice.run, markSeen(withNothingLoaded(choice.run.state), session, around.now));
    }
    const memory = withCall(tx.hookMemory, callKey(around), now);
    tx.keepHookMemory(session === null ? memory : beforeCompaction(memory, session, now));
    if (choice.kind !== 'full') return null;
    const { state } = choice.run;
    return summariserText(state, stepRoomFor(state)?.stepWords(state) ?? null);
  });
}

function choose(
  around: Surroundings,
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
