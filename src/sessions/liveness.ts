import type {
  RunState,
  SessionRecord,
} from '../state/state-types.generated.ts';
import { holderOf, sessionRecord } from './holder.ts';
import type { Run } from '../state/types.ts';
import { LIVE_FOR } from '../state/live-for.ts';

/** When, on which machine and in which checkout it is asked whether a session is live. */
export interface LivenessContext {
  now: Date;
  hostname: string;
  /** The checkout of the project; sessions of other checkouts are not live here. */
  checkout?: string | undefined;
  /** When a hook or command of the session was last called, in milliseconds; kept outside the project. */
  seenAt?: ((session: string) => number | null) | undefined;
  isGone?: ((record: SessionRecord) => boolean) | undefined;
}

/** Other hooks of a session's last event may still run for a moment after its end was recorded. */
const END_SLACK_MS = 5_000;

export function liveHolder(
  state: RunState,
  context: LivenessContext,
): string | null {
  const holder = holderOf(state);
  return holder !== null && isLive(sessionRecord(state, holder), context)
    ? holder
    : null;
}

export const isHeldByLiveSession = (
  { state }: Run,
  context: LivenessContext,
): boolean => liveHolder(state, context) !== null;

function isLive(
  record: SessionRecord | undefined,
  context: LivenessContext,
): boolean {
  if (record === undefined || !isSameCheckout(record, context)) return false;
  if (context.isGone?.(record) === true || hasEnded(record, context))
    return false;
  // A time in the future counts as now.
  return context.now.getTime() - seenTime(record, context) <= LIVE_FOR;
}

/** A session that is seen after its end goes on. */
export function hasEnded(
  record: SessionRecord,
  { seenAt }: LivenessContext,
): boolean {
  const heartbeat = seenAt?.(record.session_id) ?? 0;
  return (
    record.ended_at !== undefined &&
    !(heartbeat > Date.parse(record.ended_at) + END_SLACK_MS)
  );
}

/** When a holder was last seen whose client is gone and whose end nobody told; null for any other. */
export function goneSince(
  state: RunState,
  context: LivenessContext,
): string | null {
  const record = sessionRecord(state, holderOf(state) ?? '');
  if (
    record === undefined ||
    hasEnded(record, context) ||
    !isSameCheckout(record, context)
  )
    return null;
  return context.isGone?.(record) === true ? lastSeen(record, context) : null;
}

export function lastSeen(
  record: SessionRecord | undefined,
  context: LivenessContext,
): string {
  const time = record === undefined ? 0 : seenTime(record, context);
  return time === 0 ? '' : new Date(time).toISOString();
}

const seenTime = (record: SessionRecord, { seenAt }: LivenessContext): number =>
  Math.max(
    Date.parse(record.last_seen_at ?? record.started_at) || 0,
    seenAt?.(record.session_id) ?? 0,
  );

function isSameCheckout(
  { environment }: SessionRecord,
  { hostname, checkout }: LivenessContext,
): boolean {
  const { checkout: recorded = checkout } = environment ?? {};
  return (
    environment?.hostname === hostname &&
    (checkout === undefined || recorded === checkout)
  );
}
