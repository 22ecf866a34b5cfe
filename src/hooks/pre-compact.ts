import { candidateInstructions, summaryInstructions } from '../guidance/summary-instructions.ts';
import { decideUnderLock, heldState, letGoOfOthers } from '../guidance/restore/decide-run.ts';
import { tellFormerHolder, touch } from '../sessions/holder.ts';
import { isActive } from '../sessions/select-run.ts';
import type { RunChoice } from '../sessions/choose-run.ts';
import {
  isDuplicateCall,
  markCompacting,
  markUndecided,
  recordCall,
  type HookState,
} from '../state/store/hook-state.ts';
import type { RunState } from '../state/types.ts';
import { sourceNote } from '../guidance/frame.ts';
import { withoutDoneItem } from '../sources/source-state.ts';
import { stepLabel } from '../templates/run-view.ts';
import {
  callKey,
  detectAndSync,
  noteProject,
  type HookContext,
  restoreRequest,
} from './context.ts';
import { settleMarks } from './wake.ts';
import type { Reply } from './protocol.ts';
import type { NewEvent } from '../state/journal.ts';

/** Decides which run the session works on, saves its state and replies, as plain text, what the summary must keep. */
export function preCompact(context: HookContext): Reply {
  const { runs, sources } = detectAndSync(context);
  if (!runs.some(isActive)) return null;
  const { session } = context.input;
  const now = context.now.getTime();
  // So that the events after the compaction are known to concern it.
  if (session !== null) context.registry.recordStart(session, context.root, context.client);
  return context.store.transaction((tx) => {
    if (isDuplicateCall(tx.hookState, callKey(context), now)) return null;
    const request = restoreRequest(context, { source: 'compact', runs, sources });
    const choice = decideUnderLock(tx, runs, { ...request, sources });
    if (choice.kind === 'run' && session !== null) {
      const { run, reason } = choice;
      const state = withNothingLoaded(
        reason.rule === 'held'
          ? touch(run.state, session, context.now)
          : heldState({ run, rule: reason.rule }, { ...request, session }),
      );
      const event: NewEvent = {
        event: 'held',
        rule: reason.rule,
        by: 'hook PreCompact',
        session_id: session,
      };
      if (state !== run.state) tx.write(run, state, ...(reason.rule === 'held' ? [] : [event]));
      if (reason.rule === 'evidence') {
        tellFormerHolder(tx, run, session, context.now);
        letGoOfOthers(tx, run, { session, now: context.now });
      }
      noteProject(context);
    }
    const memory = recordCall(tx.hookState, callKey(context), now);
    tx.saveHookState(session === null ? memory : withCompaction(memory, session, choice, now));
    settleMarks(context, tx.withWrites(runs), tx.hookState);
    if (choice.kind === 'run')
      return summaryInstructions(
        withoutDoneItem(choice.run, sources).state,
        stepLabel(choice.run.state),
        sourceNote(choice.run, sources),
      );
    return choice.kind === 'undecided' ? candidateInstructions(choice.candidates) : null;
  });
}

function withCompaction(
  memory: HookState,
  session: string,
  { kind }: RunChoice,
  now: number,
): HookState {
  const compacting = markCompacting(memory, session, now);
  return kind === 'undecided' ? markUndecided(compacting, session, now) : compacting;
}

/** The compaction removes everything that was loaded from the session's context. */
function withNothingLoaded(state: RunState): RunState {
  const metadata = state.context_metadata;
  if ((metadata?.artifacts_in_context ?? []).length === 0) return state;
  return { ...state, context_metadata: { ...metadata, artifacts_in_context: [] } };
}
