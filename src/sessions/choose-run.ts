import { startedPlanOf } from '../state/started-plan.ts';
import type { StoredRun } from '../state/types.ts';
import type { Evidence } from './evidence.ts';
import {
  holderOf,
  isGuess,
  isHeldByLiveSession,
  sessionRecord,
  type LivenessContext,
} from './holder.ts';
import { byRecency, isActive } from './select-run.ts';

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
