import { isObject, type JsonObject } from '../../util/json.ts';
import { LIVE_FOR } from '../live-for.ts';
import {
  begun,
  begunSince,
  dueSince,
  restore,
  settle,
  withoutDue,
  withoutRestore,
  type Compaction,
} from './compaction.ts';

export const REPEATED_WITHIN = 2_000;
const MAX_ENTRIES = 200;
const MAX_NOTICES = 5;

/** `workflow-state/hooks.json`: what hooks of one session must know of each other. Times in milliseconds. */
export interface HookState {
  /** Calls that were answered: the same hook may be installed twice. */
  calls: Times;
  /** The latest compaction of each session, as long as a later event depends on it. */
  compactions: Readonly<Record<string, Compaction>>;
  /** Sessions for which PreCompact could not decide which run is theirs: its SessionStart must say the same. */
  undecided: Times;
  /** What the user has to be told once, at the next SessionStart. */
  notices: readonly string[];
  /** What sessions owe since their run was restored: pending-reads.ts knows their form, and keeps them few. */
  receipts: JsonObject;
}

type Times = Readonly<Record<string, number>>;

/** The file has one list of times for each event of a compaction, as every version has written it. */
export function parseHookState(json: unknown): HookState {
  const file = isObject(json) ? json : {};
  const compacting = timesIn(file['compacting']);
  const restored = timesIn(file['restored']);
  const due = timesIn(file['due']);
  const sessions = Object.keys({ ...compacting, ...restored, ...due });
  const { notices, receipts } = file;
  return {
    calls: timesIn(file['calls']),
    compactions: Object.fromEntries(
      sessions.flatMap((session) => {
        const compaction = compactionFrom(
          own(compacting, session),
          own(restored, session),
          own(due, session),
        );
        return compaction === undefined ? [] : [[session, compaction]];
      }),
    ),
    undecided: timesIn(file['undecided']),
    notices: (Array.isArray(notices) ? notices : [])
      .filter((notice: unknown) => typeof notice === 'string')
      .slice(-MAX_NOTICES),
    receipts: isObject(receipts) ? receipts : {},
  };
}

/** Guidance that is due counts even if the file also says that it was given: once too often is better than never. */
function compactionFrom(
  begunAt: number | undefined,
  restored: number | undefined,
  due: number | undefined,
): Compaction | undefined {
  if (restored !== undefined && due === undefined) {
    return { stage: 'restored', at: restored, begunAt: begunAt ?? null };
  }
  if (begunAt !== undefined) return begun(begunAt, due ?? null);
  return due === undefined ? undefined : { stage: 'due', at: due };
}

function timesIn(value: unknown): Times {
  return Object.fromEntries(
    Object.entries(isObject(value) ? value : {}).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number',
    ),
  );
}

export function serializeHookState({ compactions, ...rest }: HookState): string {
  const times = (timeOf: (compaction: Compaction) => number | null): Times =>
    Object.fromEntries(
      Object.entries(compactions).flatMap(([session, compaction]) => {
        const at = timeOf(compaction);
        return at === null ? [] : [[session, at]];
      }),
    );
  return JSON.stringify({
    ...rest,
    compacting: times(begunSince),
    restored: times((each) => (each.stage === 'restored' ? each.at : null)),
    due: times(dueSince),
  });
}

export function isDuplicateCall(memory: HookState, call: string, now: number): boolean {
  const before = memory.calls[call];
  return before !== undefined && Math.abs(now - before) < REPEATED_WITHIN;
}

export function recordCall(memory: HookState, call: string, now: number): HookState {
  return tidy({ ...memory, calls: { ...memory.calls, [call]: now } }, now);
}

/** Whether the session was compacted and never got its guidance: the next prompt gives it. */
export function isGuidanceDue(memory: HookState, session: string): boolean {
  return dueSince(own(memory.compactions, session)) !== null;
}

/** Whether SessionStart gave the guidance of the compaction whose PostCompact is still to come. */
export function isGuidanceGiven(memory: HookState, session: string): boolean {
  return own(memory.compactions, session)?.stage === 'restored';
}

/** The guidance of a compaction was given. Its PostCompact is mostly still to come. */
export function markRestored(memory: HookState, session: string, now: number): HookState {
  return tidy(
    changed(memory, session, (before) => restore(before, now)),
    now,
  );
}

/** Its PostCompact was answered without Node. */
export function clearRestored(memory: HookState, session: string): HookState {
  return changed(memory, session, withoutRestore);
}

/** A compaction begins. Guidance that an earlier one owes stays due, in case this one never ends. */
export function markCompacting(memory: HookState, session: string, now: number): HookState {
  const { [session]: _undecided, ...undecided } = memory.undecided;
  return changed({ ...memory, undecided }, session, (before) => begun(now, dueSince(before)));
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
  return changed(memory, session, () => ({ stage: 'due', at: now }));
}

export function clearDue(memory: HookState, session: string): HookState {
  return changed(memory, session, withoutDue);
}

export function settleCompaction(memory: HookState, session: string, now: number): HookState {
  return tidy(
    changed(memory, session, (before) => settle(before, now)),
    now,
  );
}

function changed(
  memory: HookState,
  session: string,
  change: (before: Compaction | undefined) => Compaction | undefined,
): HookState {
  const { [session]: _before, ...others } = memory.compactions;
  const after = change(own(memory.compactions, session));
  const compactions = after === undefined ? others : { ...others, [session]: after };
  return { ...memory, compactions };
}

function tidy(memory: HookState, now: number): HookState {
  const isRecent = (time: number | null, age = LIVE_FOR): boolean =>
    time !== null && Math.abs(now - time) < age;
  const compactions = Object.entries(memory.compactions).flatMap(([session, before]) => {
    const left = isRecent(dueSince(before)) ? before : withoutDue(before);
    return left !== undefined && isRecent(left.at) ? [[session, left] as const] : [];
  });
  const newest = <T>(entries: (readonly [string, T])[]): Record<string, T> =>
    Object.fromEntries(entries.slice(-MAX_ENTRIES));
  const times = (list: Times, age?: number): Times =>
    newest(Object.entries(list).filter(([, time]) => isRecent(time, age)));
  return {
    ...memory,
    calls: times(memory.calls, 2 * REPEATED_WITHIN),
    compactions: newest(compactions),
    undecided: times(memory.undecided),
  };
}

/** A session may be named like a part of every object. */
function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
