import { startedPlanOf } from '../state/plan-of-run.ts';
import type { StoredRun, Environment, RunState } from '../state/types.ts';
import { type Evidence, isStrong } from './evidence.ts';
import {
  heldRun,
  holderOf,
  isGuess,
  isHeldByLiveSession,
  sessionRecord,
  type LivenessContext,
  hold,
} from './holder.ts';
import { byRecency, isActive } from './select-run.ts';

export interface Known extends LivenessContext {
  session: string | null;
  runs: readonly StoredRun[];
  /** The session that `/clear` ended just before in the same client process, if that is known. */
  former: string | null;
  /** What the session's tool calls show. Rules 4 and 5 act only once the transcript was looked at. */
  transcript: TranscriptFinding;
  /** Runs that nothing has touched for so long that they are listed, never taken. */
  isStale: (run: StoredRun) => boolean;
  isWrittenSinceStart?: ((run: StoredRun) => boolean) | undefined;
  /** Whether another live session of the project was seen since the run's source was written. */
  isSeenByOthers?: ((run: StoredRun) => boolean) | undefined;
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
  | { kind: 'undecided'; candidates: StoredRun[] }
  | { kind: 'none' };

type ChosenRun = { kind: 'run'; run: StoredRun; reason: ChoiceReason };

export type ChoiceReason =
  | { rule: 'held' }
  | { rule: 'handed_over' }
  | { rule: 'held_last' }
  | { rule: 'evidence'; evidence: Evidence }
  | { rule: 'unclaimed'; isOnly: boolean };

/** Decides by what the session did, never by which file is newest. Every command, hook and explanation asks here. */
export function chooseRun(facts: Known): RunChoice {
  const active = byRecency(facts.runs.filter(isActive));
  if (active.length === 0) return { kind: 'none' };
  const own = chooseOwn(active, facts);
  const candidates = active.filter(
    (run) =>
      !isHeldByLiveSession(run, facts) && !hasReleased(run, facts.session),
  );
  if (own !== null) return insteadOfGuess(own, candidates, facts) ?? own;
  if (candidates.length === 0) return { kind: 'none' };
  // State files that somebody wrote or started first; within a class the newest first, as they came.
  const rankOf = (run: StoredRun): number => Math.min(classOf(run), LOCAL_FILE);
  const listed = candidates.toSorted((a, b) => rankOf(a) - rankOf(b));
  return (
    chooseNew(candidates, facts) ?? { kind: 'undecided', candidates: listed }
  );
}

/** Whether the transcript may show that the session works on another run than the one it was given. */
export function isOpenToEvidence(choice: RunChoice): boolean {
  if (choice.kind !== 'run' || choice.reason.rule !== 'held') return false;
  return isGuess(choice.run.state) || isSectionGone(choice.run);
}

export const isSectionGone = ({ state: { source } }: StoredRun): boolean =>
  source?.kind === 'local-file' && source.status === 'gone';

/** A guess yields to strong evidence. A session that wrote another workflow over the section of its run has left it. */
function insteadOfGuess(
  own: ChosenRun,
  candidates: readonly StoredRun[],
  facts: Known,
) {
  if (!isOpenToEvidence(own)) return null;
  const { state } = own.run;
  return byEvidence(
    candidates,
    facts,
    (evidence) =>
      isStrong(evidence) &&
      (isGuess(state) ||
        (evidence.did === 'wrote' && evidence.subject === state.source?.path)),
  );
}

/** Rules 1 to 3: the run that the session holds, was handed, or held last. */
function chooseOwn(
  active: readonly StoredRun[],
  context: Pick<Known, 'session' | 'former'> & LivenessContext,
): ChosenRun | null {
  const { session, former } = context;
  if (session === null) return null;
  const held = heldRun(active, session);
  if (held !== undefined) return chosen(held, { rule: 'held' });
  const left = former === null ? undefined : heldRun(active, former);
  // It is handed over once.
  if (
    left !== undefined &&
    sessionRecord(left.state, former ?? '')?.handed_to === undefined
  )
    return chosen(left, { rule: 'handed_over' });
  // A conversation that was left and resumed finds its run, unless a live session has taken it since.
  const [last] = active
    .flatMap((run) => {
      const record = sessionRecord(run.state, session);
      if (record === undefined || hasReleased(run, session)) return [];
      if (isHeldByLiveSession(run, context)) return [];
      return [
        {
          run,
          seenAt: Date.parse(record.last_seen_at ?? record.started_at) || 0,
        },
      ];
    })
    .toSorted((a, b) => b.seenAt - a.seenAt);
  return last === undefined ? null : chosen(last.run, { rule: 'held_last' });
}

/** A run that its source has released comes back once that is in progress again. */
export function hasReleased(
  { state }: StoredRun,
  session: string | null,
): boolean {
  if (holderOf(state) === null && state.source?.status === 'not_started')
    return true;
  return (
    session !== null && sessionRecord(state, session)?.released_at !== undefined
  );
}

/** Rules 4 and 5: what the transcript shows, else an unclaimed run that cannot be confused with another. */
function chooseNew(
  candidates: readonly StoredRun[],
  facts: Known,
): ChosenRun | null {
  if (facts.transcript === 'not_read') return null;
  const shown = byEvidence(
    candidates,
    facts,
    (evidence, run) => isStrong(evidence) || isUnclaimed(run),
  );
  if (shown !== null) return shown;
  // The session that held it may be gone, and its source written while this session was there.
  const isFree = (run: StoredRun): boolean =>
    (isUnclaimed(run) || facts.isWrittenSinceStart?.(run) === true) &&
    !isFromSync(run) &&
    !facts.isStale(run);
  const free = candidates.filter(isFree);
  const first = Math.min(...free.map(classOf));
  const [run, ...others] = free.filter((each) => classOf(each) === first);
  if (run === undefined) return null;
  const isOnly = others.length === 0;
  const isNewest = facts.transcript === 'unavailable' && first === WRITTEN;
  if ((!isOnly && !isNewest) || facts.isSeenByOthers?.(run) === true)
    return null;
  return chosen(run, { rule: 'unclaimed', isOnly });
}

function byEvidence(
  candidates: readonly StoredRun[],
  { transcript: evidence }: Known,
  isEnough: (evidence: Evidence, run: StoredRun) => boolean,
): ChosenRun | null {
  if (typeof evidence === 'string') return null;
  const run = candidates.find(({ runId }) => runId === evidence.runId);
  if (run === undefined || isFromSync(run)) return null;
  return isEnough(evidence, run)
    ? chosen(run, { rule: 'evidence', evidence })
    : null;
}

const chosen = (run: StoredRun, reason: ChoiceReason): ChosenRun => ({
  kind: 'run',
  run,
  reason,
});

const isUnclaimed = ({ state }: StoredRun): boolean =>
  holderOf(state) === null &&
  (state.sessions?.session_history ?? []).length === 0;

/** Came by `holdfast sync`, and no session here has taken it: such a run is only offered. */
export const isFromSync = ({ state }: StoredRun): boolean =>
  state.from_sync === true;

/** Where an unclaimed run comes from, in the order in which they are asked. */
const [WRITTEN, LOCAL_FILE, PLAN] = [0, 1, 2];

/** A run that somebody wrote or started is not one that was found, even if a plan or the local file feeds it. */
function classOf({ state }: StoredRun): number {
  const { source } = state;
  if (startedPlanOf(state) !== undefined || source?.['written'] === true)
    return WRITTEN;
  if (source?.kind === 'plan') return PLAN;
  return source?.kind === 'local-file' ? LOCAL_FILE : WRITTEN;
}

export type Selection =
  | { kind: 'run'; run: StoredRun; others: StoredRun[] }
  | { kind: 'none'; inactive: StoredRun[] }
  /** A session that has no run of its own changes none of these without naming it. */
  | { kind: 'not_own'; runs: StoredRun[] }
  | { kind: 'ambiguous'; runs: StoredRun[] };

/** A session means its own run, a terminal the only active one, whoever holds it; to read, else the most recent one. */
export function selectRun(
  runs: readonly StoredRun[],
  query: LivenessContext & {
    session: string | null;
    /** An agent whose session is not known may not: see rights.ts. */
    mayMeanHeldRun: boolean;
    purpose: 'read' | 'write';
  },
): Selection {
  const active = byRecency(runs.filter(isActive));
  const meant = (run: StoredRun): Selection => ({
    kind: 'run',
    run,
    others: active.filter((other) => other !== run),
  });

  const own =
    query.session === null ? null : ownRun(runs, query.session, query);
  if (own !== null) return meant(own);
  const [first, second] = active;
  if (first === undefined)
    return {
      kind: 'none',
      inactive: byRecency(runs.filter((run) => !isActive(run))),
    };
  if (query.purpose === 'read') return meant(first);
  if (query.session !== null) return { kind: 'not_own', runs: active };
  if (second !== undefined) return { kind: 'ambiguous', runs: active };
  return !query.mayMeanHeldRun && isHeldByLiveSession(first, query)
    ? { kind: 'not_own', runs: active }
    : meant(first);
}

/** Rules 1 to 3 of whose run it is: commands never take a run because of what a transcript shows. */
export function ownRun(
  runs: readonly StoredRun[],
  session: string,
  context: LivenessContext,
) {
  const caller = { ...context, session, former: null };
  return chooseOwn(byRecency(runs.filter(isActive)), caller)?.run ?? null;
}

/** The session after a `/clear` holds the run of the one before; `isAsked` if a step of the run asked for the clear. */
export function takeOverRun(
  state: RunState,
  session: string,
  environment: Environment,
  now: Date,
  isAsked: boolean,
): RunState {
  const former = holderOf(state);
  const cleared = { ended_at: now.toISOString(), end_reason: 'clear' };
  const session_history = (state.sessions?.session_history ?? []).map(
    (record) =>
      record.session_id === former
        ? { ...cleared, ...record, handed_to: session }
        : record,
  );
  const left = { ...state, sessions: { ...state.sessions, session_history } };
  const own = state.hold?.own === true ? { own: true } : {};
  return hold(left, session, environment, now, {
    by: isAsked ? 'asked_clear' : 'clear',
    ...own,
  });
}
