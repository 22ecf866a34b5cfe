import type { Compaction, HookState } from './hook-state.ts';

/** A compaction begins. Guidance that an earlier one owes stays due, in case this one never ends. */
export function markCompacting(
  memory: HookState,
  session: string,
  now: number,
  isUndecided: boolean,
): HookState {
  const missed = isGuidanceDue(memory, session);
  const compaction = { stage: 'begun', at: now, missed, isUndecided } as const;
  return withCompaction(memory, session, compaction);
}

/** The guidance of a compaction was given. Its PostCompact is mostly still to come, but has been there if it was due. */
export function markRestored(
  memory: HookState,
  session: string,
  now: number,
): HookState {
  const isOver = memory.compactions[session]?.stage === 'due';
  if (isOver) return withoutCompaction(memory, session);
  return withCompaction(memory, session, { stage: 'restored', at: now });
}

/** PostCompact comes last: where no SessionStart came before it, the guidance is still due. */
export function settleCompaction(
  memory: HookState,
  session: string,
  now: number,
): HookState {
  return isGuidanceGiven(memory, session)
    ? withoutCompaction(memory, session)
    : markDue(memory, session, now);
}

export function markDue(
  memory: HookState,
  session: string,
  now: number,
): HookState {
  const before = memory.compactions[session];
  return withCompaction(memory, session, { ...before, stage: 'due', at: now });
}

/** The guidance was given at a prompt. A compaction that has begun meanwhile goes on, and owes only its own. */
export function clearDue(memory: HookState, session: string): HookState {
  const before = memory.compactions[session];
  if (before === undefined || before.stage === 'due')
    return withoutCompaction(memory, session);
  return withCompaction(memory, session, { ...before, missed: false });
}

/** Whether the session was compacted and never got its guidance: the next prompt gives it. */
export function isGuidanceDue(
  { compactions }: HookState,
  session: string,
): boolean {
  const compaction = compactions[session];
  return compaction?.stage === 'due' || compaction?.missed === true;
}

/** Whether SessionStart gave the guidance of the compaction whose PostCompact is still to come. */
export function isGuidanceGiven(
  { compactions }: HookState,
  session: string,
): boolean {
  return compactions[session]?.stage === 'restored';
}

/** The latest compaction comes last: of very many, those that were changed last are kept. */
function withCompaction(
  memory: HookState,
  session: string,
  compaction: Compaction,
): HookState {
  const { [session]: _before, ...others } = memory.compactions;
  return { ...memory, compactions: { ...others, [session]: compaction } };
}

function withoutCompaction(memory: HookState, session: string): HookState {
  const { [session]: _before, ...others } = memory.compactions;
  return { ...memory, compactions: others };
}
