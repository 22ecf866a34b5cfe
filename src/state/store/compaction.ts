/**
 * The latest compaction of a session, as long as a later event depends on it. The host sends PreCompact, SessionStart
 * and PostCompact, but a hook may be missing, and a compaction may be cancelled after its PreCompact.
 */
export type Compaction =
  /** PreCompact came. `missedAt` is the time of an earlier compaction whose guidance was never given. */
  | { stage: 'begun'; at: number; missedAt: number | null }
  /** SessionStart gave the guidance; PostCompact is still to come. `begunAt` is null if PreCompact did not come. */
  | { stage: 'restored'; at: number; begunAt: number | null }
  /** It is over, and its guidance was never given. */
  | { stage: 'due'; at: number };

/** Undefined stands for a session without a compaction that matters. */
type MaybeCompaction = Compaction | undefined;

/** When the compaction began that is not over yet; null if no compaction is under way, or its beginning is not known. */
export function begunSince(compaction: MaybeCompaction): number | null {
  if (compaction?.stage === 'begun') return compaction.at;
  return compaction?.stage === 'restored' ? compaction.begunAt : null;
}

/** When guidance became due that was never given; null if none is due. */
export function dueSince(compaction: MaybeCompaction): number | null {
  if (compaction?.stage === 'begun') return compaction.missedAt;
  return compaction?.stage === 'due' ? compaction.at : null;
}

export function begun(at: number, missedAt: number | null): Compaction {
  return { stage: 'begun', at, missedAt };
}

/** The guidance was given: nothing is due any more. PostCompact has been there already if it was due. */
export function restore(before: MaybeCompaction, now: number): MaybeCompaction {
  return before?.stage === 'due'
    ? undefined
    : { stage: 'restored', at: now, begunAt: begunSince(before) };
}

/** PostCompact comes last: where no SessionStart came before it, the guidance is still due. */
export function settle(before: MaybeCompaction, now: number): MaybeCompaction {
  return before?.stage === 'restored' ? undefined : { stage: 'due', at: now };
}

/** The restore says nothing about the next PostCompact, because its own was answered without Node. */
export function withoutRestore(before: MaybeCompaction): MaybeCompaction {
  return before?.stage === 'restored' ? underWay(before) : before;
}

export function withoutDue(before: MaybeCompaction): MaybeCompaction {
  return dueSince(before) === null ? before : underWay(before);
}

function underWay(before: MaybeCompaction): MaybeCompaction {
  const at = begunSince(before);
  return at === null ? undefined : begun(at, null);
}
