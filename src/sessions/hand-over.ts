import type { Environment, RunState, SessionRecord, StoredRun } from '../state/types.ts';
import { hold, holderOf, isLive, sessionRecord, type LivenessContext } from './holder.ts';

const WITHIN = 60_000;

/** A session that begins with /clear, or is compacted. */
export interface NewSession extends LivenessContext {
  session: string;
  /** The host's process, where it tells: it stays the same across /clear. */
  claudePid: string | undefined;
  /** What started the hook: the host itself, or a shell of its own. */
  parentPid: string;
  isCleared: boolean;
}

/** The run that the session before this one held in the same process of the host, if that is beyond doubt. */
export function findHandedOverRun(
  runs: readonly StoredRun[],
  arriving: NewSession,
): StoredRun | undefined {
  const isOwn = ({ state }: StoredRun): boolean =>
    state.status === 'in_progress' && holderOf(state) === arriving.session;
  if (runs.some(isOwn)) return undefined;
  const candidates = runs.filter(({ state }) => {
    if (state.status !== 'in_progress') return false;
    const holder = holderOf(state);
    const record = holder === null ? undefined : sessionRecord(state, holder);
    return (
      record !== undefined &&
      record.session_id !== arriving.session &&
      isHandedOver(record, arriving)
    );
  });
  return candidates.length === 1 ? candidates[0] : undefined;
}

export function takeOverRun(
  state: RunState,
  arriving: NewSession,
  environment: Environment,
): RunState {
  const former = holderOf(state);
  const records = (state.sessions?.session_history ?? []).map((record) =>
    record.session_id === former ? handedTo(record, arriving) : record,
  );
  const told: RunState = { ...state, sessions: { ...state.sessions, session_history: records } };
  return hold(told, arriving.session, environment, arriving.now);
}

function isHandedOver(record: SessionRecord, arriving: NewSession): boolean {
  const { claudePid, now } = arriving;
  const pid = record.environment?.claude_pid;
  const samePid = pid !== undefined && pid === claudePid;
  if (record.handed_to !== undefined) return false;
  // The host's process has one session at a time. The other one may not have ended: an MCP server that outlives
  // /clear starts a run under the old id, and a SessionEnd may not have come.
  if (record.ended_at === undefined) {
    return pid === (claudePid ?? arriving.parentPid) && isLive(record, arriving);
  }
  if (!arriving.isCleared) return false;
  const age = now.getTime() - Date.parse(record.ended_at);
  const fits = samePid || pid === undefined || claudePid === undefined;
  return record.end_reason === 'clear' && age <= WITHIN && fits;
}

function handedTo(record: SessionRecord, { session, now }: NewSession): SessionRecord {
  return { ended_at: now.toISOString(), end_reason: 'clear', ...record, handed_to: session };
}
