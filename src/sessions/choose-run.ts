import { startedPlanOf } from '../state/phases.ts';
import type { StoredRun, Environment, Hold, RunState, SessionRecord } from '../state/types.ts';
import type { Evidence } from './evidence.ts';
import {
  holderOf,
  isGuess,
  isHeldByLiveSession,
  sessionRecord,
  type LivenessContext,
  resolveSession,
  hold,
} from './holder.ts';
import { byRecency, isActive } from './select-run.ts';
import { clientFrom, isSameProcess, type ClientProcess } from './client-process.ts';

/** What is known when a session asks which run is its own. */
export interface Known extends LivenessContext {
  session: string | null;
  runs: readonly StoredRun[];
  /** The run of the session that `/clear` ended in the same client process. */
  handedOver: StoredRun | null;
  /** What the session's tool calls show. Rules 4 and 5 act only once the transcript was looked at. */
  transcript: TranscriptFinding;
  /** Runs that nothing has touched for so long that they are listed, never taken. */
  isStale: (run: StoredRun) => boolean;
  /** Whether the run's source was written since this session began. */
  isWrittenSinceStart?: ((run: StoredRun) => boolean) | undefined;
  /** Whether another live session of the project was seen since the run's source was written. */
  isSeenByOthers?: ((run: StoredRun) => boolean) | undefined;
}

export type TranscriptFinding =
  | { kind: 'not_read' }
  /** Another host, an old client, a file that is gone. */
  | { kind: 'unavailable' }
  | { kind: 'read'; evidence: Evidence | null };

/** Whose run it is, with the reason. */
export type RunChoice =
  | { kind: 'run'; run: StoredRun; reason: ChoiceReason }
  /** Nothing decides: the candidates are listed, none is taken. */
  | { kind: 'undecided'; candidates: StoredRun[] }
  | { kind: 'none' };

export type ChoiceReason =
  | { rule: 'held' }
  | { rule: 'handed_over' }
  | { rule: 'held_last' }
  | { rule: 'evidence'; evidence: Evidence }
  | { rule: 'unclaimed'; class: RunClass; isOnly: boolean };

/** Where an unclaimed run comes from, in the order in which the classes are asked. */
export type RunClass = 'written' | 'local_file' | 'plan';

/**
 * Decides by what the session did, never by which file is newest. Every command, hook and explanation asks here, so
 * that all of them give the same answer.
 */
export function chooseRun(known: Known): RunChoice {
  const active = byRecency(known.runs.filter(isActive));
  if (active.length === 0) return { kind: 'none' };
  const own = chooseOwn(active, known);
  const candidates = active.filter(
    (run) => !isHeldByLiveSession(run, known) && !hasReleased(run, known.session),
  );
  if (own !== null) return insteadOfGuess(own, candidates, known) ?? own;
  if (candidates.length === 0) return { kind: 'none' };
  return chooseNew(candidates, known) ?? { kind: 'undecided', candidates: inOrder(candidates) };
}

/** Whether the transcript may show that the session works on another run than the one it was given. */
export function isOpenToEvidence(choice: RunChoice): boolean {
  if (choice.kind !== 'run' || choice.reason.rule !== 'held') return false;
  return isGuess(choice.run.state) || isSectionGone(choice.run);
}

/** The local file no longer names the workflow of the run. */
export function isSectionGone({ state: { source } }: StoredRun): boolean {
  return source?.kind === 'local-file' && source.status === 'gone';
}

/**
 * A hold that is a guess yields to strong evidence for another run. A session that wrote another workflow over the
 * section of its run has left that run.
 */
function insteadOfGuess(
  own: RunChoice,
  candidates: readonly StoredRun[],
  { transcript }: Known,
): RunChoice | null {
  if (!isOpenToEvidence(own) || transcript.kind !== 'read') return null;
  const { evidence } = transcript;
  const run = candidates.find(({ runId }) => runId === evidence?.runId);
  if (evidence?.strength !== 'strong' || run === undefined || isFromSync(run)) return null;
  const isEnough =
    own.kind !== 'run' ||
    isGuess(own.run.state) ||
    (evidence.did === 'wrote' && evidence.subject === own.run.state.source?.path);
  return isEnough ? { kind: 'run', run, reason: { rule: 'evidence', evidence } } : null;
}

/** Rules 1 to 3: the run that the session holds, was handed, or held last. */
function chooseOwn(active: readonly StoredRun[], known: Known): RunChoice | null {
  const { session, handedOver } = known;
  if (session === null) return null;
  const held = active.find(({ state }) => holderOf(state) === session);
  if (held !== undefined) return { kind: 'run', run: held, reason: { rule: 'held' } };
  if (handedOver !== null && isActive(handedOver))
    return { kind: 'run', run: handedOver, reason: { rule: 'handed_over' } };
  const last = lastHeld(active, session, known);
  return last === null ? null : { kind: 'run', run: last, reason: { rule: 'held_last' } };
}

/** A conversation that was left and resumed finds its run, unless a live session has taken it since. */
function lastHeld(
  active: readonly StoredRun[],
  session: string,
  moment: LivenessContext,
): StoredRun | null {
  const seenAt = ({ state }: StoredRun): number => {
    const record = sessionRecord(state, session);
    return record === undefined ? NaN : Date.parse(record.last_seen_at ?? record.started_at);
  };
  const [last] = active
    .filter((run) => hasHeld(run, session) && !isHeldByLiveSession(run, moment))
    .toSorted((a, b) => (seenAt(b) || 0) - (seenAt(a) || 0));
  return last ?? null;
}

function hasHeld({ state }: StoredRun, session: string): boolean {
  const record = sessionRecord(state, session);
  return record !== undefined && record.released_at === undefined;
}

export function hasReleased({ state }: StoredRun, session: string | null): boolean {
  return session !== null && sessionRecord(state, session)?.released_at !== undefined;
}

/** Rules 4 and 5: what the transcript shows, else an unclaimed run that cannot be confused with another. */
function chooseNew(candidates: readonly StoredRun[], known: Known): RunChoice | null {
  const { transcript } = known;
  if (transcript.kind === 'not_read') return null;
  if (transcript.kind === 'read' && transcript.evidence !== null) {
    const { evidence } = transcript;
    const run = candidates.find(({ runId }) => runId === evidence.runId);
    const isEnough = (found: StoredRun): boolean =>
      !isFromSync(found) && (evidence.strength === 'strong' || isUnclaimed(found));
    if (run !== undefined && isEnough(run))
      return { kind: 'run', run, reason: { rule: 'evidence', evidence } };
  }
  const isFree = (run: StoredRun): boolean =>
    (isUnclaimed(run) || isWrittenAnew(run, known)) && !known.isStale(run);
  const unclaimed = candidates.filter(isFree);
  const [first, ...more] = firstClass(unclaimed);
  if (first === undefined) return null;
  const isOnly = more.length === 0;
  const written = classOf(first);
  const isNewest = transcript.kind === 'unavailable' && written === 'written';
  if (!isOnly && !isNewest) return null;
  if (known.isSeenByOthers?.(first) === true) return null;
  return { kind: 'run', run: first, reason: { rule: 'unclaimed', class: written, isOnly } };
}

/** No session ever held it, here or on the machine that it came from. */
function isUnclaimed(run: StoredRun): boolean {
  const { state } = run;
  const hasHistory = (state.sessions?.session_history ?? []).length > 0;
  return holderOf(state) === null && !hasHistory && !isFromSync(run);
}

/** The session that held it is gone, and its source was written while this session was there. */
function isWrittenAnew(run: StoredRun, known: Known): boolean {
  return !isFromSync(run) && known.isWrittenSinceStart?.(run) === true;
}

/** Came by `holdfast sync`, and no session here has taken it: such a run is only offered. */
export function isFromSync({ state }: StoredRun): boolean {
  return state.from_sync === true;
}

const CLASSES: readonly RunClass[] = ['written', 'local_file', 'plan'];

function firstClass(runs: readonly StoredRun[]): readonly StoredRun[] {
  const found = CLASSES.find((name) => runs.some((run) => classOf(run) === name));
  return runs.filter((run) => classOf(run) === found);
}

/** A run that somebody wrote or started is not one that was found, even if a plan or the local file feeds it. */
function classOf({ state }: StoredRun): RunClass {
  if (startedPlanOf(state) !== undefined || state.source?.['written'] === true) return 'written';
  switch (state.source?.kind) {
    case 'local-file':
      return 'local_file';
    case 'plan':
      return 'plan';
    default:
      return 'written';
  }
}

/** State files that somebody wrote or started first; within a class the newest first, as they came. */
function inOrder(runs: readonly StoredRun[]): StoredRun[] {
  const [written, others] = [true, false].map((isWritten) =>
    runs.filter((run) => (classOf(run) === 'written') === isWritten),
  );
  return [...(written ?? []), ...(others ?? [])];
}

export interface RunQuery extends LivenessContext {
  session: string | null;
  /** Whether an agent asks, also one whose session is not known. */
  isAgent: boolean;
  purpose: 'read' | 'write';
}

export type Selection =
  | { kind: 'run'; run: StoredRun; others: StoredRun[] }
  | { kind: 'none'; inactive: StoredRun[] }
  /** A session that has no run of its own changes none of these without naming it. */
  | { kind: 'not_own'; runs: StoredRun[] }
  | { kind: 'ambiguous'; runs: StoredRun[] };

/**
 * The run that a command means if it names none. A session means its own; to read, else the most recent one. A terminal
 * means the only active one, whoever holds it; to read, the most recent one.
 */
export function selectRun(runs: readonly StoredRun[], query: RunQuery): Selection {
  const active = byRecency(runs.filter(isActive));
  const chosen = (run: StoredRun): Selection => ({
    kind: 'run',
    run,
    others: active.filter((other) => other !== run),
  });

  const own = query.session === null ? null : ownRun(runs, query.session, query);
  if (own !== null) return chosen(own);
  const [first, second] = active;
  if (first === undefined)
    return { kind: 'none', inactive: byRecency(runs.filter((run) => !isActive(run))) };
  if (query.purpose === 'read') return chosen(first);
  if (query.session !== null) return { kind: 'not_own', runs: active };
  if (second !== undefined) return { kind: 'ambiguous', runs: active };
  return query.isAgent && isHeldByLiveSession(first, query)
    ? { kind: 'not_own', runs: active }
    : chosen(first);
}

/** Rules 1 to 3 of whose run it is: commands never take a run because of what a transcript shows. */
export function ownRun(
  runs: readonly StoredRun[],
  session: string,
  context: LivenessContext,
): StoredRun | null {
  const choice = chooseRun({
    ...context,
    session: resolveSession(session, runs),
    runs,
    handedOver: null,
    transcript: { kind: 'not_read' },
    isStale: () => false,
  });
  return choice.kind === 'run' ? choice.run : null;
}

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
