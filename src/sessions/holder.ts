import type {
  Environment,
  Hold,
  RunState,
  SessionRecord,
  Run,
} from '../state/types.ts';
import { addMessage, messagesFor } from '../state/store/messages.ts';
import type { Transaction } from '../state/store/store.ts';
import { clientFields, type ClientProcess } from './client-process.ts';
import { isActive } from '../state/run.ts';
import { asWord, shortId } from '../text/sanitize.ts';
import { forgetLoaded } from '../state/in-context.ts';

/** How often the run itself records that its session is live: other folders know no more. */
const TOUCH_INTERVAL_MS = 3_600_000;
/** Sessions that a run remembers; a run of months would have hundreds. */
const MAX_RECORDS = 50;

export const holderOf = (state: RunState): string | null =>
  state.sessions?.current_session_id ?? null;

export const heldRun = (
  runs: readonly Run[],
  session: string,
): Run | undefined =>
  runs.find((run) => isActive(run) && holderOf(run.state) === session);

export const sessionRecord = (
  state: RunState,
  session: string,
): SessionRecord | undefined =>
  state.sessions?.session_history?.findLast(
    (record) => record.session_id === session,
  );

/**
 * The machine of the session that holds the run: an id, as `holdfast sync` gives it. In a run of this project only sessions
 * of other machines have one, so null is nobody or a session of this machine; in a snapshot every session has one.
 */
export function machineOfHolder(state: RunState): string | null {
  const holder = holderOf(state);
  return holder === null
    ? null
    : (sessionRecord(state, holder)?.environment?.machine ?? null);
}

/** A session whose run is taken is told once, at its next prompt or command, also if it has ended and comes back. */
export function tellFormerHolder(
  tx: Transaction,
  { runId, state }: Run,
  session: string,
  now: Date,
): void {
  const { hookState } = tx;
  const list = messagesFor(hookState, session);
  // That somebody had taken it is no news to a session that has it again.
  const kept = list.filter(({ taken }) => taken !== runId);
  const messages = { ...hookState.messages, [session]: kept };
  if (kept.length < list.length) tx.saveHookState({ ...hookState, messages });
  const former = holderOf(state);
  if (former === null || former === session) return;
  const text = `session ${shortId(session)} took ${asWord(state.workflow)} (${runId}), which this session held`;
  tx.saveHookState(
    addMessage(tx.hookState, former, { at: now.getTime(), text, taken: runId }),
  );
}

/**
 * Whether the session was given the run by what seemed to fit: by evidence, because there was no other, or by a `/clear`
 * that no step asked for. Once the session has changed the run itself, the hold is firm.
 */
export const isGuess = ({ hold: why }: RunState): boolean =>
  why !== undefined &&
  why.touched !== true &&
  !['command', 'asked_clear'].includes(why.by);

/** `why` is left out where the session keeps a run, or gets back one that it held before, which then has the reason of that time. */
export function hold(
  state: RunState,
  session: string,
  environment: Environment,
  now: Date,
  why?: Hold,
): RunState {
  const changesHands = holderOf(state) !== session;
  const before = changesHands
    ? sessionRecord(state, session)?.hold
    : state.hold;
  const reason = why ?? before ?? { by: 'command' };
  const seen = withRecord(state, session, now, (record) => {
    const { released_at: _released, ...kept } = reopened(record);
    return { ...kept, environment, hold: reason };
  });
  const { from_sync: _fromSync, ...own } = seen;
  const held: RunState = {
    ...own,
    hold: reason,
    sessions: { ...seen.sessions, current_session_id: session },
  };
  // The new holder's context does not contain what the previous one had loaded.
  return changesHands ? forgetLoaded(held) : held;
}

/**
 * The session after a `/clear` holds the run of the one before. `isAsked` says that a step of the run asked for the
 * clear, so that the hold is no guess.
 */
export function takeOverRun(
  state: RunState,
  session: string,
  environment: Environment,
  now: Date,
  isAsked: boolean,
): RunState {
  const former = holderOf(state);
  const cleared = { ended_at: now.toISOString(), end_reason: 'clear' };
  const history = (state.sessions?.session_history ?? []).map((record) =>
    record.session_id === former
      ? { ...cleared, ...record, handed_to: session }
      : record,
  );
  const left: RunState = {
    ...state,
    sessions: { ...state.sessions, session_history: history },
  };
  const why: Hold = { by: isAsked ? 'asked_clear' : 'clear' };
  if (state.hold?.own === true) why.own = true;
  return hold(left, session, environment, now, why);
}

/** With `session` null, as from a terminal, the run is released from any holder. */
export function releaseRun(
  state: RunState,
  session: string | null,
  now: Date,
): RunState {
  const holder = holderOf(state);
  const leaving = session ?? holder;
  if (leaving === null) return state;
  const released_at = now.toISOString();
  const marked = withRecord(state, leaving, now, (record) => ({
    ...record,
    released_at,
  }));
  return holder === leaving ? withoutHolder(marked) : marked;
}

export function withoutHolder({ hold: _hold, ...state }: RunState): RunState {
  return {
    ...state,
    sessions: { ...state.sessions, current_session_id: null },
  };
}

/** A session that names a run again which it had released may be given the run again. */
export function withoutRelease(
  state: RunState,
  session: string,
  now: Date,
): RunState {
  if (sessionRecord(state, session)?.released_at === undefined) return state;
  return withRecord(
    state,
    session,
    now,
    ({ released_at: _released, ...kept }) => kept,
  );
}

/** A run becomes active again. A session that holds another run by now keeps that one. */
export function withoutBusyHolder(
  state: RunState,
  runs: readonly Run[],
): RunState {
  const holder = holderOf(state);
  return holder !== null && heldRun(runs, holder) !== undefined
    ? withoutHolder(state)
    : state;
}

/** Records that the session was seen; a recent record is returned unchanged, so that most calls write nothing. */
export function touch(state: RunState, session: string, now: Date): RunState {
  const record = sessionRecord(state, session);
  if (record === undefined) return state;
  const age =
    now.getTime() - Date.parse(record.last_seen_at ?? record.started_at);
  // A time in the future is replaced: it would keep the session live for longer than it is.
  if (record.ended_at === undefined && Math.abs(age) < TOUCH_INTERVAL_MS)
    return state;
  return withRecord(state, session, now, reopened);
}

/** A session that is seen again has not ended and has not handed over its run. */
function reopened(record: SessionRecord): SessionRecord {
  const {
    ended_at: _ended,
    end_reason: _reason,
    handed_to: _successor,
    ...open
  } = record;
  return open;
}

export function endSession(
  state: RunState,
  session: string,
  end: { reason: string; client: ClientProcess | null; now: Date },
): RunState {
  const { reason, client, now } = end;
  return withRecord(state, session, now, (record) => {
    const ended: SessionRecord = {
      ...record,
      ended_at: now.toISOString(),
      end_reason: reason,
    };
    if (client !== null)
      ended.environment = { ...record.environment, ...clientFields(client) };
    return ended;
  });
}

export function recordCompletedPhase(
  state: RunState,
  session: string,
  phase: string,
  now: Date,
): RunState {
  return withRecord(state, session, now, (record) => ({
    ...record,
    phases_completed: [...(record.phases_completed ?? []), phase],
  }));
}

function withRecord(
  state: RunState,
  session: string,
  now: Date,
  change: (record: SessionRecord) => SessionRecord,
): RunState {
  const time = now.toISOString();
  const history = state.sessions?.session_history ?? [];
  const at = history.findLastIndex((record) => record.session_id === session);
  const record = history[at] ?? { session_id: session, started_at: time };
  const changed = change({ ...record, last_seen_at: time });
  const records = at < 0 ? [...history, changed] : history.with(at, changed);
  return {
    ...state,
    sessions: {
      ...state.sessions,
      session_history: records.slice(-MAX_RECORDS),
    },
  };
}
