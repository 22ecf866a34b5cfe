import { holderOf, liveHolder, sessionRecord, type LivenessContext } from '../sessions/holder.ts';
import type { Settings } from '../settings/settings.ts';
import { byRecency, isActive } from '../sessions/select-run.ts';
import { recencyOf } from '../sessions/recency.ts';
import type { RunState, StoredRun } from '../state/types.ts';

const STALE_AFTER = 14 * 24 * 3_600_000;

export interface RestoreInput extends LivenessContext {
  runs: readonly StoredRun[];
  /** The session as it is known now; null where the host named none. */
  session: string | null;
  source: string;
  isAttended: boolean;
  startup: Settings['restore']['startup'];
  /** Runs whose source no longer declares them. */
  dormant: ReadonlySet<string>;
  /** Whether the run waits for its conversation to be compacted or cleared. */
  awaitsContext: (state: RunState) => boolean;
}

/** How much of a run a session is given, and why. */
export type Restoration =
  | { kind: 'nothing'; why: string }
  | {
      kind: 'full';
      run: StoredRun;
      takes: boolean;
      isOwn: boolean;
      others: StoredRun[];
      why: string;
    }
  | { kind: 'frame'; run: StoredRun; why: string }
  | { kind: 'short'; run: StoredRun; why: string }
  | { kind: 'offer'; runs: StoredRun[]; why: string };

/** Never hijack: a session gets its own run back, and a run of nobody only where that cannot be wrong. */
export function chooseRestoration(input: RestoreInput): Restoration {
  const { session, source } = input;
  const active = byRecency(input.runs.filter(isActive));
  const own = active.find(({ state }) => session !== null && holderOf(state) === session);
  if (own !== undefined) return restoreOwn(own, active, input);

  const free = active.filter((run) => isFree(run, input));
  if (source === 'compact') return restoreFree(free, active);
  if (!input.isAttended) return { kind: 'nothing', why: 'nobody attends this session' };
  const [only, second] = free;
  if (
    only !== undefined &&
    second === undefined &&
    source === 'startup' &&
    restoresAutomatically(only, input)
  ) {
    return {
      kind: 'full',
      run: only,
      takes: true,
      isOwn: false,
      others: active.filter((run) => run !== only),
      why: 'it is the only run that nobody holds, and a new session may take it at once',
    };
  }
  if (input.startup === 'off') return { kind: 'nothing', why: 'restore.startup is off' };
  const shown = active.filter((run) => !input.dormant.has(run.runId) && !hasReleased(run, session));
  return shown.length === 0
    ? { kind: 'nothing', why: 'nothing is in progress' }
    : { kind: 'offer', runs: shown, why: 'this session holds no run; it is told what there is' };
}

function restoreOwn(
  run: StoredRun,
  active: StoredRun[],
  { source, awaitsContext }: RestoreInput,
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
        why: 'this session holds it, and cleared its context for a reason of its own',
      };
    default:
      return { kind: 'short', run, why: 'this session holds it, and has its conversation still' };
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

/** May be given to a session by itself. */
function isFree(run: StoredRun, input: RestoreInput): boolean {
  return (
    liveHolder(run.state, input) === null &&
    !input.dormant.has(run.runId) &&
    !hasReleased(run, input.session) &&
    input.now.getTime() - recencyOf(run) <= STALE_AFTER
  );
}

function hasReleased({ state }: StoredRun, session: string | null): boolean {
  return session !== null && sessionRecord(state, session)?.released_at !== undefined;
}

function restoresAutomatically({ state }: StoredRun, { startup }: RestoreInput): boolean {
  return startup === 'full' || state.template?.['resume'] === 'auto';
}
