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

/** When guidance became due that was never given; null if none is due. */
export function dueSince(compaction: MaybeCompaction): number | null {
  switch (compaction?.stage) {
    case 'begun':
      return compaction.missedAt;
    case 'due':
      return compaction.at;
    default:
      return null;
  }
}

/** Guidance that an earlier compaction owes stays due if this one never ends. */
export function begin(before: MaybeCompaction, now: number): Compaction {
  return { stage: 'begun', at: now, missedAt: dueSince(before) };
}

/** The guidance was given: nothing is due any more. PostCompact has been there already if it was due. */
export function restore(before: MaybeCompaction, now: number): MaybeCompaction {
  switch (before?.stage) {
    case 'due':
      return undefined;
    case 'begun':
      return { stage: 'restored', at: now, begunAt: before.at };
    default:
      return { stage: 'restored', at: now, begunAt: before?.begunAt ?? null };
  }
}

/** PostCompact comes last: where no SessionStart came before it, the guidance is still due. */
export function settle(before: MaybeCompaction, now: number): MaybeCompaction {
  return before?.stage === 'restored' ? undefined : { stage: 'due', at: now };
}

/** The restore says nothing about the next PostCompact, because its own was answered without Node. */
export function withoutRestore(before: MaybeCompaction): MaybeCompaction {
  if (before?.stage !== 'restored') return before;
  return before.begunAt === null
    ? undefined
    : { stage: 'begun', at: before.begunAt, missedAt: null };
}

export function withoutDue(before: MaybeCompaction): MaybeCompaction {
  switch (before?.stage) {
    case 'due':
      return undefined;
    case 'begun':
      return { ...before, missedAt: null };
    default:
      return before;
  }
}

/** Without what is older than `age`. */
export function recent(compaction: Compaction, now: number, age: number): MaybeCompaction {
  const isRecent = (time: number): boolean => Math.abs(now - time) < age;
  if (!isRecent(compaction.at)) return undefined;
  if (compaction.stage !== 'begun' || compaction.missedAt === null) return compaction;
  return isRecent(compaction.missedAt) ? compaction : { ...compaction, missedAt: null };
}
