import type { ChoiceReason, RunChoice } from '../../sessions/choose-run.ts';
import { hasReleased, isFromSync } from '../../sessions/choose-run.ts';
import {
  holderOf,
  isGuess,
  isHeldByLiveSession,
  type LivenessContext,
} from '../../sessions/holder.ts';
import { byRecency, isActive } from '../../sessions/select-run.ts';
import type { Settings } from '../../settings/settings.ts';
import type { StoredRun } from '../../state/types.ts';
import type { EndedSource } from '../../sources/source-records.ts';
import { isStale } from '../../sources/source-state.ts';
import type { SourceFile } from '../../sources/types.ts';
import { awaitsContext, contextActionHappened } from '../../state/progress.ts';

/** What is known of the project, and of the session that starts. */
export interface RestorationInput extends LivenessContext {
  root: string;
  launchFolder: string;
  runs: readonly StoredRun[];
  /** The runs that declared workflows without a state file would become. */
  declared?: readonly StoredRun[];
  ended?: readonly EndedSource[];
  settings: Settings;
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
  /** The agent that the session itself is; null or absent for the main one. */
  ownAgent?: string | null;
  /** Of the session; `host` if it is not Claude Code. */
  environment?: { host?: string | undefined };
  /** The session that `/clear` ended in the same client process just before this one began, or went on. */
  former?: string | null;
  /** PreCompact has not found out whose run it is, and asked the summary. */
  isAsked?: boolean;
  transcript?: string | null;
  /** When the session began, in milliseconds, if that is known. */
  began?: number | undefined;
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
      run: StoredRun;
      reason: RestorationReason;
    }
  /** What is in progress, for a session that holds nothing; `candidates`: one of these may be that of the conversation. */
  | { kind: 'offer' | 'candidates'; offers: Offer[] };

export type Offer =
  | { kind: 'run' | 'declared' | 'paused'; run: StoredRun }
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
  const { ended = [], isAttended } = input;
  return ended.length === 0 || !isAttended
    ? { kind: 'nothing', why: whyNone(input) }
    : {
        kind: 'offer',
        offers: ended.map((source) => ({ kind: 'ended', source })),
      };
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
  run: StoredRun,
  reason: RestorationReason,
  { source, isDriven }: RestorationInput,
): Restoration {
  const isLost =
    source === 'compact' ||
    (source === 'clear' && awaitsContext(run)) ||
    (source === 'startup' && isDriven === true);
  return {
    kind: isLost ? 'full' : source === 'clear' ? 'frame' : 'short',
    run,
    reason,
  };
}

/** Whether the session started or resumed the run itself. One that it was given, and has not changed, may be wrong. */
export function isOwn(
  { state }: StoredRun,
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
  const { startup } = settings.restore;
  const unheld = active.filter((run) => !isHeldByLiveSession(run, input));
  const free = unheld.filter((run) => !hasReleased(run, session));
  const [only, second] = free.filter(
    (run) => !isFromSync(run) && !isStale(run, sources, now),
  );
  const takesRun =
    startup === 'full' || only?.state.template?.['resume'] === 'auto';
  if (
    only !== undefined &&
    second === undefined &&
    source === 'startup' &&
    takesRun
  )
    return { kind: 'full', run: only, reason: { rule: 'startup' } };
  if (startup === 'off')
    return { kind: 'nothing', why: 'restore.startup is off' };
  const offers = [...offersOf('run', free), ...others];
  return offers.length > 0
    ? { kind: 'offer', offers }
    : { kind: 'nothing', why: whyNone(input) };
}

/** What may be offered besides runs in progress; a run that its source paused until nobody has touched that for 14 days. */
export function otherOffers({
  runs,
  sources,
  now,
  declared = [],
  ended = [],
}: RestorationInput): Offer[] {
  const paused = byRecency(runs).filter(
    (run) =>
      run.state.status === 'paused' &&
      run.state.source?.status === 'paused' &&
      !isStale(run, sources, now),
  );
  return [
    ...offersOf('declared', declared),
    ...offersOf('paused', paused),
    ...ended.map((source): Offer => ({ kind: 'ended', source })),
  ];
}

const offersOf = (
  kind: 'run' | 'declared' | 'paused',
  runs: readonly StoredRun[],
): Offer[] => runs.map((run) => ({ kind, run }));

/** The run with the context action of its step marked as performed, if this compaction or clear performs it. */
export function withContextActionDone(
  choice: Restoration,
  { source, session, now, isBelated }: RestorationInput,
): Restoration {
  if (choice.kind !== 'full' || session === null) return choice;
  // PostCompact has marked it then, and the run may be at another step by now.
  if (isBelated === true || (source !== 'compact' && source !== 'clear'))
    return choice;
  const run = contextActionHappened(choice.run, source, now.toISOString());
  return { ...choice, run };
}
