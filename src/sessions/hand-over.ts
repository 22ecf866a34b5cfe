import type { Environment, Hold, RunState, SessionRecord, StoredRun } from '../state/types.ts';
import { clientFrom, isSameProcess, type ClientProcess } from './client-process.ts';
import { hold, holderOf, sessionRecord, type LivenessContext } from './holder.ts';

const MAX_AGE_OF_CLEAR = 60_000;

/** A session that starts after /clear or continues after a compaction. */
export interface NewSession extends LivenessContext {
  session: string;
  client: ClientProcess | null;
  /** The session that was cleared just before in the same client process, if that is known. */
  former: string | null;
  isCleared: boolean;
}

/** The run of the session that `/clear` ended in the same client process. Null if there is none or several. */
export function findHandedOverRun(
  runs: readonly StoredRun[],
  newSession: NewSession,
): StoredRun | null {
  const active = runs.filter(({ state }) => state.status === 'in_progress');
  if (active.some(({ state }) => holderOf(state) === newSession.session)) return null;
  const candidates = active.flatMap((run) => {
    const holder = holderOf(run.state);
    const record = holder === null ? undefined : sessionRecord(run.state, holder);
    return record === undefined || holder === newSession.session ? [] : [{ run, record }];
  });
  const certain = candidates.filter(({ record }) => isCertain(record, newSession));
  const found =
    certain.length > 0 ? certain : candidates.filter(({ record }) => mayBe(record, newSession));
  return found.length === 1 ? (found[0]?.run ?? null) : null;
}

/** An equal process id proves nothing: the start of the process must be equal too. */
function isCertain(record: SessionRecord, newSession: NewSession): boolean {
  const { former, isCleared, client } = newSession;
  if (record.handed_to !== undefined) return false;
  if (former !== null) return record.session_id === former;
  if (isSameProcess(clientFrom(record.environment), client) !== true) return false;
  // SessionEnd may not have fired before the SessionStart of a /clear.
  return wasJustCleared(record, newSession) || (isCleared && record.ended_at === undefined);
}

/** Where a process cannot be identified, only a clear within the last minute counts. */
function mayBe(record: SessionRecord, newSession: NewSession): boolean {
  const { former, isCleared, client } = newSession;
  if (record.handed_to !== undefined || former !== null) return false;
  const recorded = clientFrom(record.environment);
  if (isSameProcess(recorded, client) !== null) return false;
  const isEqualPid = recorded !== null && recorded.pid === client?.pid;
  return (isCleared || isEqualPid) && wasJustCleared(record, newSession);
}

function wasJustCleared(record: SessionRecord, { now }: NewSession): boolean {
  const age = now.getTime() - Date.parse(record.ended_at ?? '');
  return record.end_reason === 'clear' && Math.abs(age) <= MAX_AGE_OF_CLEAR;
}

/** The new session holds the run of the former one; `isAsked` if a step of the run asked for the clear. */
export function takeOverRun(
  state: RunState,
  newSession: NewSession,
  environment: Environment,
  isAsked: boolean,
): RunState {
  const former = holderOf(state);
  const why: Hold = {
    by: isAsked ? 'asked_clear' : 'clear',
    ...(state.hold?.own === true ? { own: true } : {}),
  };
  const records = (state.sessions?.session_history ?? []).map((record) =>
    record.session_id === former ? handedTo(record, newSession) : record,
  );
  const handedOver: RunState = {
    ...state,
    sessions: { ...state.sessions, session_history: records },
  };
  return hold(handedOver, newSession.session, environment, newSession.now, why);
}

function handedTo(record: SessionRecord, { session, now }: NewSession): SessionRecord {
  return { ended_at: now.toISOString(), end_reason: 'clear', ...record, handed_to: session };
}
