import { phaseText } from '../guidance/frame.ts';
import { holderOf, sessionRecord } from '../sessions/holder.ts';
import { isActive } from '../sessions/select-run.ts';
import type { StoredRun } from '../state/types.ts';
import { sanitizeLine, shortId, truncate } from '../util/sanitize.ts';
import type { RenderedRestoration } from './render-restoration.ts';

/** The runs that a session on another machine has taken from this one. */
export function takenOverRuns(runs: readonly StoredRun[], session: string): StoredRun[] {
  return runs.filter(
    (run) =>
      isActive(run) &&
      holderOf(run.state) !== session &&
      sessionRecord(run.state, session)?.taken_over !== undefined,
  );
}

export function takenOverText({ runId, state }: StoredRun, session: string): string {
  const by = sessionRecord(state, session)?.taken_over;
  const workflow = truncate(sanitizeLine(state.workflow), 100);
  const who = `session ${shortId(by?.session_id ?? '')} on machine ${sanitizeLine(by?.machine ?? '')}`;
  return `${workflow} (${runId}), which this session worked on, was taken over on another machine: ${who}. It is at phase ${phaseText(state)} there. \`holdfast resume ${runId}\` takes it back.`;
}

/** A session that goes on with such a run would work against the other one. */
export function withTakenOver(
  rendered: RenderedRestoration,
  runs: readonly StoredRun[],
  session: string | null,
): RenderedRestoration {
  const taken = session === null ? [] : takenOverRuns(runs, session);
  if (session === null || taken.length === 0) return rendered;
  const notice = taken.map((run) => takenOverText(run, session)).join('\n');
  const [first] = taken;
  return {
    ...rendered,
    text: rendered.text === null ? notice : `${notice}\n\n${rendered.text}`,
    userLine:
      rendered.userLine === '' && first !== undefined
        ? `holdfast: ${truncate(sanitizeLine(first.state.workflow), 80)} was taken over on another machine`
        : rendered.userLine,
  };
}
