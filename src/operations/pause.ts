import type { StoredRun } from '../state/types.ts';
import type { OperationContext } from './open-project.ts';
import { requireActive } from './target-run.ts';
import { changeRun } from './with-run.ts';

/** Stops restoring a run until it is resumed; no session holds it meanwhile. */
export function pauseRun(
  context: OperationContext,
  name: string | undefined,
  reason: string,
): StoredRun {
  return changeRun(context, name, (run) => {
    requireActive(run, 'pause');
    return {
      state: {
        ...run.state,
        sessions: { ...run.state.sessions, current_session_id: null },
        status: 'paused',
        ...(reason === '' ? {} : { status_reason: reason }),
        adopted: true,
      },
      event: { event: 'paused', reason },
    };
  });
}
