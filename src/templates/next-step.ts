import { holderOf } from '../sessions/holder.ts';
import type { StoredRun } from '../state/types.ts';
import { type OperationContext, callerSession } from '../sessions/open-project.ts';
import { nextStepOf, type NextStep } from '../templates/next.ts';

export type { NextStep };

/** What comes next for a run in this session. `lastPrompted` is the position that it was last prompted for. */
export function nextStep(
  context: OperationContext,
  run: StoredRun,
  runs: readonly StoredRun[],
  lastPrompted: string | null,
): NextStep {
  const { state } = run;
  const session = callerSession(context, runs);
  // A run that the session was given, rather than asked for, is not continued without a person.
  const isOwn = session !== null && holderOf(state) === session && state.hold?.own === true;
  const perform = state.perform ?? context.settings.context.perform;
  const { next, position } = nextStepOf(
    run,
    isOwn && perform === 'auto' ? 'auto' : 'ask',
    lastPrompted,
  );
  return { next, position: isOwn ? position : null };
}

/** What comes next for a run that `holdfast run` drives, which is a request to let it go on by itself. */
export function nextDrivenStep(
  run: Pick<StoredRun, 'runId' | 'state'>,
  lastPrompted: string | null,
): NextStep {
  return nextStepOf(run, 'auto', lastPrompted);
}
