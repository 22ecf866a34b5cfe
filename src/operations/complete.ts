import { holderOf, recordCompletedPhase } from '../sessions/holder.ts';
import { phaseName } from '../state/phases.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { endRun } from './end-run.ts';
import type { OperationContext } from './open-project.ts';
import { withActor, withRun } from './with-run.ts';

/** Ends a run as done, wherever it stands. */
export function completeRun(
  context: OperationContext,
  name: string | undefined,
  options: { purge: boolean },
): StoredRun {
  return withRun(context, name, (run, tx) => {
    const { phase } = run.state;
    const done: RunState = { ...run.state, phase: { ...phase, status: 'completed' } };
    const holder = holderOf(run.state);
    const state =
      holder === null ? done : recordCompletedPhase(done, holder, phaseName(phase), context.now);
    const event = withActor(context, { event: 'completed', phase });
    return endRun(context, tx, run, state, event, options.purge);
  });
}
