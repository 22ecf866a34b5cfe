import type { RunState } from '../state/types.ts';
import { pivotsOf } from '../workflow/machine/pivot-count.ts';

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
