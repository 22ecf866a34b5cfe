import { hasReleased, isFromSync } from '../../sessions/choose-run.ts';
import { holderOf, isHeldByLiveSession, type LivenessContext } from '../../sessions/holder.ts';
import { isActive } from '../../sessions/select-run.ts';
import type { StoredRun } from '../../state/types.ts';

// A summary is Markdown: the line may be an item of a list, in bold or in backticks, in part or as a whole.
const ANSWER =
  /^[ \t>*_`"'-]{0,20}holdfast run:[ \t*_`"'<]{0,20}([^\s*`"'<>]{1,200})[*_`"'>]{0,20}[ \t]*$/gim;

/**
 * The run that a summary names in a line `holdfast run: <id>`. Null if the session has a run already, if the summary
 * names none or several, or if a live session holds the named run.
 */
export function candidateAnswer(
  summary: string,
  runs: readonly StoredRun[],
  session: string,
  context: LivenessContext,
): StoredRun | null {
  const ids = new Set([...summary.matchAll(ANSWER)].map(([, id = '']) => id));
  const [id, ...more] = ids;
  if (id === undefined || more.length > 0) return null;
  const active = runs.filter(isActive);
  if (active.some(({ state }) => holderOf(state) === session)) return null;
  const run = active.find(({ runId }) => runId === id);
  if (run === undefined || isFromSync(run) || hasReleased(run, session)) return null;
  return isHeldByLiveSession(run, context) ? null : run;
}
