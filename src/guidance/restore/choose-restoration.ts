import type { ChoiceReason, RunChoice } from '../../sessions/choose-run.ts';
import { hasReleased, isFromSync } from '../../sessions/choose-run.ts';
import { holderOf, isGuess } from '../../sessions/holder.ts';
import { isHeldByLiveSession } from '../../sessions/liveness.ts';
import { type LivenessContext } from '../../sessions/liveness.ts';
import { isActive } from '../../state/run.ts';
import { byRecency } from '../../state/recency.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Run } from '../../state/types.ts';
import type { EndedSource } from '../../sources/source-records.ts';
import { isStale } from '../../sources/source-state.ts';
import type { SourceFile } from '../../sources/types.ts';
import { awaitsContext, contextActionHappened } from '../../state/progress.ts';

/** What is known of the project, and of the session that starts. */
export interface RestorationInput extends LivenessContext {
  root: string;
  /** The user's configuration folder of Claude Code, with the transcripts. */
  config: string;
  launchFolder: string;
  /** Whether the next request has the whole guidance anyway, so that a shorter text would repeat it. */
  hasGuidance?: boolean;
  runs: readonly Run[];
  /** The runs that declared workflows without a state file would become. */
  declared?: readonly Run[];
  /** The sources of runs that have ended. */
  ended?: readonly EndedSource[];
  settings: Settings;
  /** What the sources of the runs say now. */
  sources: readonly SourceFile[];
  /** Null if the host named no session. */
  session: string | null;
  /** Why the session starts: compact, clear, resume, startup and so on. */
  source: string;
  isAttended: boolean;
  /** `holdfast run` has started the session for its run: a fresh session is then a clear. */
  isDriven?: boolean;
  /** The compaction was some time ago and has been recorded since. */
  isBelated?: boolean;
  /** The client's file of the plan that was accepted in this session. */
  clientPlan?: string | undefined;
  /** Whether holdfast's module runs in the client: it says itself what it has done, and how the run goes on. */
  hasModule?: boolean;
  /** The agent that the session itself is; null or absent for the main one. */
  ownAgent?: string | null;
  /** Of the session; `host` if it is not Claude Code. */
  environment?: { host?: string | undefined };
  /** The session that `/clear` ended in the same client process just before this one began, or went on. */
  former?: string | null;
  /** PreCompact has not found out whose run it is, and asked the summary. */
  isAsked?: boolean;
  /** The path of the session's transcript, if the host names one. */
  transcript?: string | null;
  /** When the session began, in milliseconds, if that is known. */
  began?: number | undefined;
  /** Whether another live session of the project was seen since this time, in milliseconds. */
  isOtherSeenSince?: (time: number) => boolean;
}

export type RestorationReason =
  | ChoiceReason
  | { rule: 'startup' }
  | { rule: 'named' };

/** How much of which run a session gets back, and why. */
export type Restoration =
  /** `why` is a clause. */
  | { kind: 'nothing'; why: string }
  | {
      kind: 'full' | 'frame' | 'short';
      run: Run;
      reason: RestorationReason;
    }
  /** What is in progress, for a session that holds nothing; `candidates`: one of these may be that of the conversation. */
  | { kind: 'offer' | 'candidates'; offers: Offer[] };

export type Offer =
  | { kind: 'run' | 'declared' | 'paused'; run: Run }
  | { kind: 'ended'; source: EndedSource };

/** The choice says whose run it is; how much of it the session gets depends on why it starts. */
export function chooseRestoration(
  choice: RunChoice,
  input: RestorationInput,
): Restoration {
  if (choice.kind === 'run')
    return restoreRun(choice.run, choice.reason, input);
  if (input.source !== 'compact') return offerRuns(input);
  if (choice.kind === 'undecided')
    return { kind: 'candidates', offers: offersOf('run', choice.candidates) };
  // After a compaction, a session without a run is only told which runs have ended while their sources go on.
  const offers = input.isAttended ? endedOffers(input) : [];
  return offers.length === 0
    ? { kind: 'nothing', why: whyNone(input) }
    : { kind: 'offer', offers };
}

function whyNone({ runs, session }: RestorationInput): string {
  const active = runs.filter(isActive);
  if (active.length === 0) return 'nothing is in progress';
  if (active.every(({ state }) => state.source?.status === 'not_started'))
    return 'the plans of the runs here have not started';
  return active.some((run) => hasReleased(run, session))
    ? 'this session released the runs that it could get'
    : 'other live sessions hold every active run';
}

function restoreRun(
  run: Run,
  reason: RestorationReason,
  input: RestorationInput,
): Restoration {
  if (hasLostContext(run, input)) return { kind: 'full', run, reason };
  // Somebody who types `/clear` may want to do something else.
  const kind = input.source === 'clear' ? 'frame' : 'short';
  return { kind, run, reason };
}

function hasLostContext(
  run: Run,
  { source, isDriven = false }: RestorationInput,
): boolean {
  switch (source) {
    case 'compact':
      return true;
    case 'clear':
      return awaitsContext(run);
    case 'startup':
      return isDriven;
    default:
      return false;
  }
}

/** Whether the session started or resumed the run itself. One that it was given, and has not changed, may be wrong. */
export function isOwn(
  { state }: Run,
  { rule }: RestorationReason,
  session: string | null,
): boolean {
  if (rule === 'evidence' || rule === 'unclaimed' || rule === 'startup')
    return false;
  return holderOf(state) !== session || !isGuess(state);
}

function offerRuns(input: RestorationInput): Restoration {
  const { source, session, isAttended, settings, sources, now } = input;
  const active = byRecency(input.runs.filter(isActive));
  const others = otherOffers(input);
  if (active.length === 0 && others.length === 0)
    return { kind: 'nothing', why: whyNone(input) };
  if (!isAttended)
    return {
      kind: 'nothing',
      why: 'nobody is there to answer in this session',
    };

  const free = active.filter(
    (run) => !isHeldByLiveSession(run, input) && !hasReleased(run, session),
  );
  const { startup } = settings.restore;
  if (source === 'startup') {
    const [only, second] = free.filter(
      (run) => !isFromSync(run) && !isStale(run, sources, now),
    );
    const isTaken = only && (startup === 'full' || resumesByItself(only));
    if (isTaken && second === undefined)
      return { kind: 'full', run: only, reason: { rule: 'startup' } };
  }
  if (startup === 'off')
    return { kind: 'nothing', why: 'restore.startup is off' };
  const offers = [...offersOf('run', free), ...others];
  return offers.length > 0
    ? { kind: 'offer', offers }
    : { kind: 'nothing', why: whyNone(input) };
}

/** Whether the template says that a new session takes the run without being asked. */
function resumesByItself({ state }: Run): boolean {
  return state.template?.['resume'] === 'auto';
}

/** What may be offered besides runs in progress; a run that its source paused until nobody has touched that for 14 days. */
export function otherOffers(input: RestorationInput): Offer[] {
  const { runs, sources, now, declared = [] } = input;
  const paused = byRecency(runs).filter(
    (run) =>
      run.state.status === 'paused' &&
      run.state.source?.status === 'paused' &&
      !isStale(run, sources, now),
  );
  return [
    ...offersOf('declared', declared),
    ...offersOf('paused', paused),
    ...endedOffers(input),
  ];
}

function offersOf(
  kind: 'run' | 'declared' | 'paused',
  runs: readonly Run[],
): Offer[] {
  return runs.map((run) => ({ kind, run }));
}

function endedOffers({ ended = [] }: RestorationInput): Offer[] {
  return ended.map((source) => ({ kind: 'ended', source }));
}

/** The run with the context action of its step marked as performed, if this compaction or clear performs it. */
export function withContextActionDone(
  choice: Restoration,
  { source, session, now, isBelated }: RestorationInput,
): Restoration {
  if (choice.kind !== 'full' || session === null) return choice;
  // PostCompact has marked it then, and the run may be at another step by now.
  if (isBelated === true) return choice;
  if (source !== 'compact' && source !== 'clear') return choice;
  const run = contextActionHappened(choice.run, source, now.toISOString());
  return { ...choice, run };
}
