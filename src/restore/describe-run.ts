import { phaseText } from '../guidance/frame.ts';
import { liveHolder, sessionRecord, type LivenessContext } from '../sessions/holder.ts';
import type { StoredRun } from '../state/types.ts';
import { timeAgo } from '../util/relative-time.ts';
import { sanitizeLine, shortId, truncate } from '../util/sanitize.ts';

export function labelOf({ state }: StoredRun): string {
  return `${truncate(sanitizeLine(state.workflow), 80)}, phase ${phaseText(state)}`;
}

export function describeHolder({ state }: StoredRun, context: LivenessContext): string {
  const started = `started ${timeAgo(state.created_at, context.now)}`;
  const holder = liveHolder(state, context);
  if (holder === null) return `${started}, held by nobody`;
  const seen = timeAgo(sessionRecord(state, holder)?.last_seen_at ?? '', context.now);
  return `${started}, held by session ${shortId(holder)}, seen ${seen}`;
}
