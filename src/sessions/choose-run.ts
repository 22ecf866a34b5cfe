import { startedPlanOf } from '../state/plan-of-run.ts';
import type { Run } from '../state/types.ts';
import { type Evidence, isStrong } from './evidence.ts';
import { heldRun, holderOf, isGuess, sessionRecord } from './holder.ts';
import { isHeldByLiveSession } from './liveness.ts';
import { type LivenessContext } from './liveness.ts';
import { isActive } from '../state/run.ts';
import { byRecency } from '../state/recency.ts';

export interface Known extends LivenessContext {
  session: string | null;
  runs: readonly Run[];
  /** The session that `/clear` ended just before in the same client process, if that is known. */
  former: string | null;
  /** What the session's tool calls show. Rules 4 and 5 act only once the transcript was looked at. */
  transcript: TranscriptFinding;
  /** Runs that nothing has touched for so long that they are listed, never taken. */
  isStale: (run: Run) => boolean;
  isWrittenSinceStart?: ((run: Run) => boolean) | undefined;
  /** Whether another live session of the project was seen since the run's source was written. */
  isSeenByOthers?: ((run: Run) => boolean) | undefined;
}

/** Unavailable: another host, an old client, a file that is gone. */
export type TranscriptFinding =
  | Evidence
  | 'no_evidence'
  | 'unavailable'
  | 'not_read';

export type RunChoice =
  | ChosenRun
  /** Nothing decides: the candidates are listed, none is taken. */
  | { kind: 'undecided'; candidates: Run[] }
  | { kind: 'none' };

type ChosenRun = { kind: 'run'; run: Run; reason: ChoiceReason };

export type ChoiceReason =
  | { rule: 'held' }
  | { rule: 'handed_over' }
  | { rule: 'held_last' }
  | { rule: 'evidence'; evidence: Evidence }
  | { rule: 'unclaimed'; isOnly: boolean };

/**
 * Whose run it is, decided by what the session did and never by which file is newest. Every hook, command and explanation
 * asks here. The first of five rules that gives a run decides.
 */
export function chooseRun(facts: Known): RunChoice {
  const { session, former, transcript } = facts;
  const active = byRecency(facts.runs.filter(isActive));
  if (active.length === 0) return { kind: 'none' };

  const own =
    session === null
      ? null
      : (heldNow(active, session) ?? // Rule 1
        handedOver(active, former) ?? // Rule 2
        heldLast(active, session, facts)); // Rule 3

  const candidates = active.filter(
    (run) => !isHeldByLiveSession(run, facts) && !hasReleased(run, session),
  );
  if (own !== null) return insteadOfOwn(own, candidates, transcript) ?? own;
  if (candidates.length === 0) return { kind: 'none' };

  const found =
    transcript === 'not_read'
      ? null
      : (shownByEvidence(candidates, transcript) ?? // Rule 4
        unclaimed(candidates, facts)); // Rule 5

  return found ?? { kind: 'undecided', candidates: asOffered(candidates) };
}

/** Rule 1: the run that the session holds. */
export function heldNow(
  active: readonly Run[],
  session: string,
): ChosenRun | null {
  const run = heldRun(active, session);
  return run === undefined
    ? null
    : { kind: 'run', run, reason: { rule: 'held' } };
}

/** Rule 2: the run of the session that `/clear` ended just before in the same client process. It is handed over once. */
function handedOver(
  active: readonly Run[],
  former: string | null,
): ChosenRun | null {
  if (former === null) return null;
  const run = heldRun(active, former);
  if (run === undefined) return null;
  if (sessionRecord(run.state, former)?.handed_to !== undefined) return null;
  return { kind: 'run', run, reason: { rule: 'handed_over' } };
}

/**
 * Rule 3: the run that the session held last, unless a live session has taken it since. So a conversation that was left
 * and resumed finds its run.
 */
export function heldLast(
  active: readonly Run[],
  session: string,
  context: LivenessContext,
): ChosenRun | null {
  let last: Run | null = null;
  let lastSeenAt = -Infinity;
  for (const run of active) {
    const record = sessionRecord(run.state, session);
    if (record === undefined || hasReleased(run, session)) continue;
    if (isHeldByLiveSession(run, context)) continue;

    const seenAt = Date.parse(record.last_seen_at ?? record.started_at) || 0;
    if (seenAt > lastSeenAt) {
      last = run;
      lastSeenAt = seenAt;
    }
  }
  return last === null
    ? null
    : { kind: 'run', run: last, reason: { rule: 'held_last' } };
}

/** Rule 4: the run that the transcript shows. Weak evidence does not take a run that another session held. */
function shownByEvidence(
  candidates: readonly Run[],
  transcript: TranscriptFinding,
): ChosenRun | null {
  const shown = runInTranscript(candidates, transcript);
  if (shown === null) return null;
  const isEnough = isStrong(shown.evidence) || isUnclaimed(shown.run);
  return isEnough ? chosenByEvidence(shown) : null;
}

/**
 * Rule 5: an unclaimed run that cannot be confused with another, because it is the only one of its class and no other
 * live session may have meant it.
 */
function unclaimed(candidates: readonly Run[], facts: Known): ChosenRun | null {
  const free = candidates.filter((run) => isFree(run, facts));
  const runsByClass = CLASSES.map((name) =>
    free.filter((run) => classOf(run) === name),
  );
  const [run, ...others] = runsByClass.find((runs) => runs.length > 0) ?? [];
  if (run === undefined) return null;
  if (facts.isSeenByOthers?.(run) === true) return null;

  const isOnly = others.length === 0;
  // Where no transcript can ever tell, the newest of the state files that somebody wrote or started has to do.
  const mayTakeNewest =
    facts.transcript === 'unavailable' && classOf(run) === 'written';
  if (!isOnly && !mayTakeNewest) return null;
  return { kind: 'run', run, reason: { rule: 'unclaimed', isOnly } };
}

/**
 * What the transcript shows counts against a run that the session has in two cases: the session was given its run by a
 * guess, or it wrote another workflow over the section of its run and so has left it.
 */
function insteadOfOwn(
  own: ChosenRun,
  candidates: readonly Run[],
  transcript: TranscriptFinding,
): ChosenRun | null {
  if (!isOpenToEvidence(own)) return null;
  const shown = runInTranscript(candidates, transcript);
  if (shown === null || !isStrong(shown.evidence)) return null;

  const { did, subject } = shown.evidence;
  const { state } = own.run;
  const hasReplacedSection = did === 'wrote' && subject === state.source?.path;
  return isGuess(state) || hasReplacedSection ? chosenByEvidence(shown) : null;
}

/** Whether the transcript may show that the session works on another run than the one it was given. */
export function isOpenToEvidence(choice: RunChoice): boolean {
  if (choice.kind !== 'run' || choice.reason.rule !== 'held') return false;
  return isGuess(choice.run.state) || isSectionGone(choice.run);
}

export function isSectionGone({ state: { source } }: Run): boolean {
  return source?.kind === 'local-file' && source.status === 'gone';
}

interface ShownRun {
  run: Run;
  evidence: Evidence;
}

function runInTranscript(
  candidates: readonly Run[],
  transcript: TranscriptFinding,
): ShownRun | null {
  if (typeof transcript === 'string') return null;
  const run = candidates.find(({ runId }) => runId === transcript.runId);
  if (run === undefined || isFromSync(run)) return null;
  return { run, evidence: transcript };
}

function chosenByEvidence({ run, evidence }: ShownRun): ChosenRun {
  return { kind: 'run', run, reason: { rule: 'evidence', evidence } };
}

/** A run that the session released, or that its source released: that one comes back once the source is in progress. */
export function hasReleased({ state }: Run, session: string | null): boolean {
  const isReleasedBySource =
    holderOf(state) === null && state.source?.status === 'not_started';
  if (isReleasedBySource) return true;
  if (session === null) return false;
  return sessionRecord(state, session)?.released_at !== undefined;
}

/** No session may be working on it: none ever held it, or its source was written after its last holder had ended. */
function isFree(run: Run, facts: Known): boolean {
  if (isFromSync(run) || facts.isStale(run)) return false;
  return isUnclaimed(run) || facts.isWrittenSinceStart?.(run) === true;
}

function isUnclaimed({ state }: Run): boolean {
  const history = state.sessions?.session_history ?? [];
  return holderOf(state) === null && history.length === 0;
}

/** Came by `holdfast sync`, and no session here has taken it: such a run is only offered. */
export function isFromSync({ state }: Run): boolean {
  return state.from_sync === true;
}

/** Where an unclaimed run comes from, in the order in which rule 5 asks. */
const CLASSES = ['written', 'local-file', 'plan'] as const;

/** A run that somebody wrote or started is not one that was found, even if a plan or the local file feeds it. */
function classOf({ state }: Run): (typeof CLASSES)[number] {
  const { source } = state;
  const isStartedOrWritten =
    startedPlanOf(state) !== undefined || source?.['written'] === true;
  if (isStartedOrWritten) return 'written';
  if (source?.kind === 'plan' || source?.kind === 'local-file')
    return source.kind;
  return 'written';
}

/** People see the runs that somebody wrote or started first, then those that a file feeds; in both the newest first. */
function asOffered(candidates: readonly Run[]): Run[] {
  const written = candidates.filter((run) => classOf(run) === 'written');
  const found = candidates.filter((run) => classOf(run) !== 'written');
  return [...written, ...found];
}
