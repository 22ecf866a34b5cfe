import { phaseText } from '../guidance/frame.ts';
import {
  holderOf,
  liveHolder,
  machineOfHolder,
  sessionRecord,
  type LivenessContext,
} from '../sessions/holder.ts';
import type { StoredRun } from '../state/types.ts';
import { timeAgo } from '../util/relative-time.ts';
import { sanitizeLine, shortId, truncate } from '../util/sanitize.ts';

export function labelOf({ state }: StoredRun): string {
  return `${truncate(sanitizeLine(state.workflow), 80)}, phase ${phaseText(state)}`;
}

/** Who worked on a run that no live session holds. */
export function describeLastHolder({ state }: StoredRun, { now }: LivenessContext): string {
  const last = (state.sessions?.session_history ?? []).at(-1);
  if (last === undefined) return 'no session has held it';
  const seen = timeAgo(last.last_seen_at ?? last.started_at, now);
  const place = last.environment?.machine === undefined ? '' : ' on another machine';
  return `last held by session ${shortId(last.session_id)}${place}, seen ${seen}`;
}

export function describeHolder({ state }: StoredRun, context: LivenessContext): string {
  const started = `started ${timeAgo(state.created_at, context.now)}`;
  const holder = liveHolder(state, context);
  if (holder === null && machineOfHolder(state) !== null)
    return `${started}, held by session ${shortId(holderOf(state) ?? '')} on another machine at the last sync`;
  if (holder === null) return `${started}, held by nobody`;
  const seen = timeAgo(sessionRecord(state, holder)?.last_seen_at ?? '', context.now);
  return `${started}, held by session ${shortId(holder)}, seen ${seen}`;
}
