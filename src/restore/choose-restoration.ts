import {
  holderOf,
  isHeldByLiveSession,
  sessionRecord,
  type LivenessContext,
} from '../sessions/holder.ts';
import { byRecency, isActive } from '../sessions/select-run.ts';
import type { Settings } from '../settings/settings.ts';
import type { StoredRun } from '../state/types.ts';
import { isEndedBySource, isStale } from '../sync/source-state.ts';
import type { SourceFile } from '../sync/types.ts';
import { awaitsContext, contextActionHappened } from '../workflow/run-view.ts';

export interface RestorationInput extends LivenessContext {
  runs: readonly StoredRun[];
  /** The files that feed these runs, as they are now. */
  sources: readonly SourceFile[];
  settings: Pick<Settings, 'restore'>;
  /** Null if the host named no session. */
  session: string | null;
  /** Why the session starts: compact, clear, resume, startup and so on. */
  source: string;
  isAttended: boolean;
}

/** How much of which run a session gets back, and why. */
export type Restoration =
  | { kind: 'nothing'; why: string }
  | {
      kind: 'full';
      run: StoredRun;
      /** Whether the session holds the run from now on. */
      takes: boolean;
      isOwn: boolean;
      others: StoredRun[];
      why: string;
    }
  | { kind: 'frame'; run: StoredRun; why: string }
  | { kind: 'short'; run: StoredRun; why: string }
  | { kind: 'offer'; runs: StoredRun[]; why: string };

/** First which run belongs to the session, then how much of it the session gets, which depends on why it starts. */
export function chooseRestoration(input: RestorationInput): Restoration {
  const active = byRecency(input.runs.filter(isActive));
  const own = active.find(
    ({ state }) => input.session !== null && holderOf(state) === input.session,
  );
  if (own !== undefined) return restoreOwn(own, active, input);
  const free = active.filter((run) => isFree(run, input));
  return input.source === 'compact' ? restoreFree(free, active) : offerRuns(free, active, input);
}

function restoreOwn(
  run: StoredRun,
  active: StoredRun[],
  { source }: RestorationInput,
): Restoration {
  const others = active.filter((other) => other !== run);
  switch (source) {
    case 'compact':
      return { kind: 'full', run, takes: true, isOwn: true, others, why: 'this session holds it' };
    case 'clear':
      if (awaitsContext(run.state)) {
        const why = 'this session holds it, and its step asked for the clear';
        return { kind: 'full', run, takes: true, isOwn: true, others, why };
      }
      return {
        kind: 'frame',
        run,
        why: 'this session holds it, and its context was cleared for another reason',
      };
    default:
      return { kind: 'short', run, why: 'this session holds it, and still has its conversation' };
  }
}

function restoreFree(free: StoredRun[], active: StoredRun[]): Restoration {
  const [first, second] = free;
  if (first === undefined) {
    const why =
      active.length === 0 ? 'nothing is in progress' : 'no active run is free for this session';
    return { kind: 'nothing', why };
  }
  const takes = second === undefined;
  return {
    kind: 'full',
    run: first,
    takes,
    isOwn: false,
    others: active.filter((run) => run !== first),
    why: takes
      ? 'it is the only active run that no live session holds'
      : 'it is the most recent of several that no live session holds, so it is shown and not taken',
  };
}

function offerRuns(
  free: StoredRun[],
  active: StoredRun[],
  { source, session, isAttended, settings, sources }: RestorationInput,
): Restoration {
  if (!isAttended) return { kind: 'nothing', why: 'nobody attends this session' };
  const { startup } = settings.restore;
  const [only, second] = free;
  const isTaken =
    only !== undefined &&
    second === undefined &&
    source === 'startup' &&
    (startup === 'full' || only.state.template?.['resume'] === 'auto');
  if (isTaken) {
    return {
      kind: 'full',
      run: only,
      takes: true,
      isOwn: false,
      others: active.filter((run) => run !== only),
      why: 'it is the only run that no session holds, and new sessions take such a run at once',
    };
  }
  if (startup === 'off') return { kind: 'nothing', why: 'restore.startup is off' };
  const shown = active.filter(
    (run) => !isEndedBySource(run, sources) && !hasReleased(run, session),
  );
  return shown.length === 0
    ? { kind: 'nothing', why: 'nothing is in progress' }
    : {
        kind: 'offer',
        runs: shown,
        why: 'this session holds no run, so the active ones are listed',
      };
}

/** Whether a session may get the run without asking for it. */
function isFree(run: StoredRun, input: RestorationInput): boolean {
  return (
    !isHeldByLiveSession(run, input) &&
    !isEndedBySource(run, input.sources) &&
    !hasReleased(run, input.session) &&
    !isStale(run, input.sources, input.now)
  );
}

function hasReleased({ state }: StoredRun, session: string | null): boolean {
  return session !== null && sessionRecord(state, session)?.released_at !== undefined;
}

/** The choice with the context action of its step marked as performed, if this compaction or clear performs it. */
export function withContextActionDone(
  choice: Restoration,
  {
    source,
    session,
    now,
    isBelated,
  }: Pick<RestorationInput, 'source' | 'session' | 'now'> & { isBelated?: boolean },
): Restoration {
  if (choice.kind !== 'full' || !choice.takes || session === null) return choice;
  // PostCompact has marked it then, and the run may be at another step by now.
  if (isBelated === true || (source !== 'compact' && source !== 'clear')) return choice;
  const state = contextActionHappened(choice.run.state, source, now.toISOString());
  return { ...choice, run: { ...choice.run, state } };
}
