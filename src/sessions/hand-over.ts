import type { Environment, RunState, SessionRecord, StoredRun } from '../state/types.ts';
import { hold, holderOf, isLive, sessionRecord, type LivenessContext } from './holder.ts';

const MAX_AGE_OF_CLEAR = 60_000;

/** A session that starts after /clear or continues after a compaction. */
export interface NewSession extends LivenessContext {
  session: string;
  /** The host's process id if known; it stays the same across /clear. */
  claudePid: string | undefined;
  /** The parent of the hook's process: the host or a shell that the host started. */
  parentPid: string;
  isCleared: boolean;
}

/** The run that the previous session in the same host process held, if there is exactly one candidate. */
export function findHandedOverRun(
  runs: readonly StoredRun[],
  newSession: NewSession,
): StoredRun | undefined {
  const isOwn = ({ state }: StoredRun): boolean =>
    state.status === 'in_progress' && holderOf(state) === newSession.session;
  if (runs.some(isOwn)) return undefined;
  const candidates = runs.filter(({ state }) => {
    if (state.status !== 'in_progress') return false;
    const holder = holderOf(state);
    const record = holder === null ? undefined : sessionRecord(state, holder);
    return (
      record !== undefined &&
      record.session_id !== newSession.session &&
      isHandedOver(record, newSession)
    );
  });
  return candidates.length === 1 ? candidates[0] : undefined;
}

export function takeOverRun(
  state: RunState,
  newSession: NewSession,
  environment: Environment,
): RunState {
  const former = holderOf(state);
  const records = (state.sessions?.session_history ?? []).map((record) =>
    record.session_id === former ? handedTo(record, newSession) : record,
  );
  const handedOver: RunState = {
    ...state,
    sessions: { ...state.sessions, session_history: records },
  };
  return hold(handedOver, newSession.session, environment, newSession.now);
}

function isHandedOver(record: SessionRecord, newSession: NewSession): boolean {
  const { claudePid, now } = newSession;
  const pid = record.environment?.claude_pid;
  const samePid = pid !== undefined && pid === claudePid;
  if (record.handed_to !== undefined) return false;
  // A host process has one session at a time. The previous one may lack its end: an MCP server that outlives /clear
  // can start a run under the old id, and SessionEnd may not have fired.
  if (record.ended_at === undefined) {
    return pid === (claudePid ?? newSession.parentPid) && isLive(record, newSession);
  }
  if (!newSession.isCleared) return false;
  const age = now.getTime() - Date.parse(record.ended_at);
  const fits = samePid || pid === undefined || claudePid === undefined;
  return record.end_reason === 'clear' && age <= MAX_AGE_OF_CLEAR && fits;
}

function handedTo(record: SessionRecord, { session, now }: NewSession): SessionRecord {
  return { ended_at: now.toISOString(), end_reason: 'clear', ...record, handed_to: session };
}
