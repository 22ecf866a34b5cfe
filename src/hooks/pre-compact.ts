import { summaryInstructions } from '../guidance/summary-instructions.ts';
import { chooseUnderLock } from '../restore/choose-under-lock.ts';
import { holderOf, touch } from '../sessions/holder.ts';
import { isActive } from '../sessions/select-run.ts';
import { isDuplicateCall, markCompacting, recordCall } from '../state/store/hook-memory.ts';
import type { RunState } from '../state/types.ts';
import { sourceNote } from '../sync/source-state.ts';
import { stepLabel } from '../workflow/run-view.ts';
import { callKey, detectAndSync, type HookContext } from './context.ts';
import type { Reply } from './protocol.ts';

/** Saves the state of the session's run and replies, as plain text, what the summary must keep. */
export function preCompact(context: HookContext): Reply {
  const { runs, sources } = detectAndSync(context);
  if (!runs.some(isActive)) return null;
  const { session } = context.input;
  const now = context.now.getTime();
  return context.store.transaction((tx) => {
    if (isDuplicateCall(tx.hookMemory, callKey(context), now)) return null;
    const request = { ...context, runs, sources, session, source: 'compact' };
    const { choice } = chooseUnderLock(tx, { ...request, isAttended: true, arrival: null });
    if (choice.kind === 'full' && session !== null && holderOf(choice.run.state) === session) {
      const { run } = choice;
      const state = touch(withNothingLoaded(run.state), session, context.now);
      if (state !== run.state) tx.write(run, state);
    }
    const memory = recordCall(tx.hookMemory, callKey(context), now);
    tx.keepHookMemory(session === null ? memory : markCompacting(memory, session, now));
    if (choice.kind !== 'full') return null;
    const { run } = choice;
    return summaryInstructions(run.state, stepLabel(run.state), sourceNote(run, sources));
  });
}

/** The compaction removes everything that was loaded from the session's context. */
function withNothingLoaded(state: RunState): RunState {
  const metadata = state.context_metadata;
  if ((metadata?.artifacts_in_context ?? []).length === 0) return state;
  return { ...state, context_metadata: { ...metadata, artifacts_in_context: [] } };
}
