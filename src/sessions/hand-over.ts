import type { Environment, RunState, SessionRecord, StoredRun } from '../state/types.ts';
import { hold, holderOf, isLive, recordOf, type Moment } from './history.ts';

const WITHIN = 60_000;

export interface ClearedSession extends Moment {
  session: string;
  /** The host's process, where it tells: it stays the same across /clear. */
  claudePid: string | undefined;
}

/** The run that the session before this /clear held, if that is beyond doubt. */
export function runHandedOver(
  runs: readonly StoredRun[],
  cleared: ClearedSession,
): StoredRun | undefined {
  const candidates = runs.filter(({ state }) => {
    if (state.status !== 'in_progress') return false;
    const holder = holderOf(state);
    const record = holder === null ? undefined : recordOf(state, holder);
    return (
      record !== undefined && record.session_id !== cleared.session && isHandedOver(record, cleared)
    );
  });
  return candidates.length === 1 ? candidates[0] : undefined;
}

export function takeOver(
  state: RunState,
  cleared: ClearedSession,
  environment: Environment,
): RunState {
  const former = holderOf(state);
  const records = (state.sessions?.session_history ?? []).map((record) =>
    record.session_id === former ? handedTo(record, cleared) : record,
  );
  const told: RunState = { ...state, sessions: { ...state.sessions, session_history: records } };
  return hold(told, cleared.session, environment, cleared.now);
}

function isHandedOver(record: SessionRecord, cleared: ClearedSession): boolean {
  const { claudePid, now } = cleared;
  const pid = record.environment?.claude_pid;
  const samePid = pid !== undefined && pid === claudePid;
  if (record.handed_to !== undefined) return false;
  // A SessionEnd that never came is no obstacle where the process is known to be the same.
  if (record.ended_at === undefined) return samePid && isLive(record, cleared);
  const age = now.getTime() - Date.parse(record.ended_at);
  const fits = samePid || pid === undefined || claudePid === undefined;
  return record.end_reason === 'clear' && age <= WITHIN && fits;
}

function handedTo(record: SessionRecord, { session, now }: ClearedSession): SessionRecord {
  return { ended_at: now.toISOString(), end_reason: 'clear', ...record, handed_to: session };
}
