import { isObject, type JsonObject } from '../../util/json.ts';

export const REPEATED_WITHIN = 2_000;
const KEPT_FOR = 12 * 3_600_000;
const MAX_ENTRIES = 200;
const MAX_NOTICES = 5;

/** `workflow-state/hooks.json`: what hooks of one session must know of each other. Times in milliseconds. */
export interface HookState {
  /** Calls that were answered: the same hook may be installed twice. */
  calls: Record<string, number>;
  /** Sessions whose compaction has begun, and whose PostCompact has not come. */
  compacting: Record<string, number>;
  /** Sessions whose compaction was followed by its SessionStart. */
  restored: Record<string, number>;
  /** Sessions that were compacted and never got their guidance. */
  due: Record<string, number>;
  /** Sessions for which PreCompact could not decide which run is theirs: its SessionStart must say the same. */
  undecided: Record<string, number>;
  /** What the user has to be told once, at the next SessionStart. */
  notices: readonly string[];
  /** What sessions owe since their run was restored: receipts.ts knows their form, and keeps them few. */
  receipts: JsonObject;
}

export function parseHookState(json: unknown): HookState {
  const times = (value: unknown): Record<string, number> =>
    Object.fromEntries(
      Object.entries(isObject(value) ? value : {}).filter(
        (entry): entry is [string, number] => typeof entry[1] === 'number',
      ),
    );
  const { calls, compacting, restored, due, undecided, notices, receipts } = isObject(json)
    ? json
    : {};
  return {
    calls: times(calls),
    compacting: times(compacting),
    restored: times(restored),
    due: times(due),
    undecided: times(undecided),
    notices: (Array.isArray(notices) ? notices : [])
      .filter((notice: unknown) => typeof notice === 'string')
      .slice(-MAX_NOTICES),
    receipts: isObject(receipts) ? receipts : {},
  };
}

export function isDuplicateCall(memory: HookState, call: string, now: number): boolean {
  const before = memory.calls[call];
  return before !== undefined && Math.abs(now - before) < REPEATED_WITHIN;
}

export function recordCall(memory: HookState, call: string, now: number): HookState {
  return tidy({ ...memory, calls: { ...memory.calls, [call]: now } }, now);
}

/** The guidance of a compaction was given: nothing is due any more. Its PostCompact is mostly still to come. */
export function markRestored(memory: HookState, session: string, now: number): HookState {
  const { [session]: wasDue, ...due } = memory.due;
  const isOver = wasDue !== undefined && memory.compacting[session] === undefined;
  const restored = isOver ? memory.restored : { ...memory.restored, [session]: now };
  return tidy({ ...memory, due, restored }, now);
}

/** Its PostCompact was answered without Node. */
export function clearRestored(memory: HookState, session: string): HookState {
  const { [session]: _answered, ...restored } = memory.restored;
  return { ...memory, restored };
}

/** A compaction begins: what an earlier one left open does not count for it. */
export function markCompacting(memory: HookState, session: string, now: number): HookState {
  const { [session]: _restored, ...restored } = memory.restored;
  const { [session]: _undecided, ...undecided } = memory.undecided;
  return { ...memory, restored, undecided, compacting: { ...memory.compacting, [session]: now } };
}

/** The candidates were listed for the summary: what follows this compaction lists them too. */
export function markUndecided(memory: HookState, session: string, now: number): HookState {
  return { ...memory, undecided: { ...memory.undecided, [session]: now } };
}

/** Kept until a SessionStart shows it to the user. */
export function addNotice(memory: HookState, notice: string): HookState {
  const others = memory.notices.filter((known) => known !== notice);
  return { ...memory, notices: [...others, notice].slice(-MAX_NOTICES) };
}

/** The next prompt gives the session its guidance. */
export function markDue(memory: HookState, session: string, now: number): HookState {
  return { ...memory, due: { ...memory.due, [session]: now } };
}

export function clearDue(memory: HookState, session: string): HookState {
  const { [session]: _given, ...due } = memory.due;
  return { ...memory, due };
}

/** PostCompact comes last: where no SessionStart came before it, the guidance is still due. */
export function settleCompaction(memory: HookState, session: string, now: number): HookState {
  const { [session]: before, ...restored } = memory.restored;
  const { [session]: _began, ...compacting } = memory.compacting;
  const due = before === undefined ? { ...memory.due, [session]: now } : memory.due;
  return tidy({ ...memory, compacting, restored, due }, now);
}

function tidy(memory: HookState, now: number): HookState {
  const recent = (times: Record<string, number>, age: number): Record<string, number> =>
    Object.fromEntries(
      Object.entries(times)
        .filter(([, time]) => Math.abs(now - time) < age)
        .slice(-MAX_ENTRIES),
    );
  return {
    ...memory,
    calls: recent(memory.calls, 2 * REPEATED_WITHIN),
    compacting: recent(memory.compacting, KEPT_FOR),
    restored: recent(memory.restored, KEPT_FOR),
    due: recent(memory.due, KEPT_FOR),
    undecided: recent(memory.undecided, KEPT_FOR),
  };
}
