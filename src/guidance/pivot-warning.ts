import type { RunState } from '../state/types.ts';
import { isPivotRefused, pivotsOf } from '../workflow/machine/pivot-count.ts';

const WORTH_A_WARNING = 3;

/** Work that is sent back again and again is a question for the user; null before the third time. */
export function pivotWarning(state: RunState): string | null {
  const pivots = pivotsOf(state);
  if (pivots === null || pivots.made < WORTH_A_WARNING) return null;
  const { made, max } = pivots;
  return made < max
    ? `This run went back ${made} times, of ${max} that its template allows: tell the user what keeps sending it back.`
    : `This run went back ${made} times, which is all that its template allows: the next pivot is refused, and the user has to decide.`;
}

/** Why a run is blocked that cannot be sent back any more; null if that is not why, or if somebody gave a reason. */
export function pivotBlocker(state: RunState): string | null {
  const made = pivotsOf(state)?.made;
  const isExplained = (state.status_reason ?? '') !== '';
  if (made === undefined || isExplained || !isPivotRefused(state)) return null;
  return `the work was sent back ${made === 1 ? 'once' : `${made} times`}, which is all that its template allows`;
}
