import { sourceNote } from '../guidance/frame.ts';
import { decideUnderLock, takeRun } from '../guidance/restore/restore-session.ts';
import {
  SUMMARY_LEAD,
  candidateInstructions,
  shortSummaryInstructions,
  summaryInstructions,
} from '../guidance/summary-instructions.ts';
import { forgetLoaded, touch } from '../sessions/holder.ts';
import { isActive } from '../sessions/select-run.ts';
import { withoutDoneItem } from '../sources/source-state.ts';
import { markCompacting } from '../state/store/hook-state.ts';
import { stepLabel } from '../templates/run-view.ts';
import {
  detectAndSync,
  once,
  noteProject,
  restoreRequest,
  stringField,
  type HookContext,
  type Reply,
} from './context.ts';
import { settleMarks } from './wake.ts';

/** Decides which run the session works on, saves its state and replies, as plain text, what the summary must keep. */
export function preCompact(context: HookContext): Reply {
  const { runs, sources } = detectAndSync(context);
  if (!runs.some(isActive)) return null;
  const { input, registry, root, client, now } = context;
  const { session } = input;
  // So that the events after the compaction are known to concern it.
  if (session !== null) registry.recordStart(session, root, client);
  return once(context, (tx) => {
    const request = restoreRequest(context, { source: 'compact', runs, sources });
    const choice = decideUnderLock(tx, runs, request);
    const isUndecided = choice.kind === 'undecided';
    if (choice.kind === 'run' && session !== null) {
      const { run } = choice;
      const { rule } = choice.reason;
      if (rule === 'handed_over' && request.former !== null)
        registry.recordFollower(request.former, session);
      const isHeld = rule === 'held';
      const held = isHeld
        ? touch(run.state, session, now)
        : takeRun(tx, run, rule, session, request);
      // The compaction removes everything that was loaded from the session's context.
      const state = forgetLoaded(held);
      const event = { event: 'held', rule, by: 'hook PreCompact', session_id: session } as const;
      if (state !== run.state) tx.write(run, state, isHeld ? undefined : event);
      noteProject(context);
    }
    if (session !== null)
      tx.saveHookState(markCompacting(tx.hookState, session, now.getTime(), isUndecided));
    settleMarks(context, tx.withWrites(runs), tx.hookState);
    if (stringField(input.raw, 'custom_instructions')?.includes(SUMMARY_LEAD) === true) return null;
    if (choice.kind === 'run') {
      const { state } = withoutDoneItem(choice.run, sources);
      const step = stepLabel(state);
      return stringField(input.raw, 'trigger') === 'manual'
        ? shortSummaryInstructions(state, step)
        : summaryInstructions(state, step, sourceNote(choice.run, sources));
    }
    return isUndecided ? candidateInstructions(choice.candidates) : null;
  });
}
