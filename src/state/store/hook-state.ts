import { timeAgo } from '../../text/relative-time.ts';
import {
  isObject,
  type JsonObject,
  parseJson,
  isWithinLimits,
  ownEntry,
} from '../../text/json.ts';
import { LIVE_FOR } from '../live-for.ts';
import { readTextFile } from '../../files/read-file.ts';
import { isRunId, SOURCE_RECORDS_FILE } from '../paths.ts';

export const REPEATED_WITHIN = 2_000;
const MAX_ENTRIES = 200;
export const MAX_NOTICES = 5;
const MESSAGES_KEPT_FOR = 14 * 24 * 3_600_000;

/**
 * What hooks of one session must know of each other. Its sentences are told as holdfast's own, so it is kept where no
 * repository can bring it along: see hook-memory.ts. Times in milliseconds.
 */
export interface HookState {
  /** Calls that were answered: the same hook may be installed twice. */
  calls: Readonly<Record<string, number>>;
  /** The latest compaction of each session, as long as a later event depends on it. */
  compactions: Readonly<Record<string, Compaction>>;
  /** What the user has to be told once, at the next SessionStart. */
  notices: readonly string[];
  /** What each session has to be told once: somebody else took or changed its run. */
  messages: Readonly<Record<string, readonly Message[]>>;
  /** What sessions owe since their run was restored: pending-reads.ts knows their form, and keeps them few. */
  receipts: JsonObject;
}

/** The host sends PreCompact, SessionStart, PostCompact; a hook may be missing, a compaction be cancelled meanwhile. */
export interface Compaction {
  /** PreCompact came; SessionStart gave the guidance, PostCompact is still to come; it is over without guidance. */
  stage: 'begun' | 'restored' | 'due';
  at: number;
  /** The guidance of an earlier compaction was never given either. */
  missed?: boolean;
  /** PreCompact could not decide which run is the session's: what follows this compaction lists the candidates, too. */
  isUndecided?: boolean;
}

export interface Message {
  at: number;
  /** A sentence without its full stop. */
  text: string;
  /** The run that it says was taken, or has ended. */
  taken?: string;
}

export function parseHookState(json: unknown): HookState {
  const { calls, compactions, notices, messages, receipts } = objectOr(json);
  return {
    calls: entriesOf(calls, (time): time is number => typeof time === 'number'),
    compactions: entriesOf(compactions, isTimed),
    notices: Array.isArray(notices) ? notices.filter(isText) : [],
    messages: entriesOf(messages, isMessages),
    receipts: objectOr(receipts),
  };
}

const objectOr = (value: unknown): JsonObject => (isObject(value) ? value : {});

const entriesOf = <T>(
  value: unknown,
  isOne: (entry: unknown) => entry is T,
): Record<string, T> =>
  Object.fromEntries(
    Object.entries(objectOr(value)).filter((entry): entry is [string, T] =>
      isOne(entry[1]),
    ),
  );

const isTimed = (value: unknown): value is Compaction =>
  isObject(value) && typeof value['at'] === 'number';

function isMessages(value: unknown): value is Message[] {
  const isMessage = (one: unknown): boolean =>
    isTimed(one) && 'text' in one && isText(one.text);
  return Array.isArray(value) && value.every(isMessage);
}

const isText = (value: unknown): value is string => typeof value === 'string';

export const isDuplicateCall = (
  memory: HookState,
  call: string,
  now: number,
): boolean => Math.abs(now - (memory.calls[call] ?? 0)) < REPEATED_WITHIN;

/** Every hook that changes something ends with this, so what is too old is left out here. */
export function recordCall(
  memory: HookState,
  call: string,
  now: number,
): HookState {
  const kept = <T>(
    entries: Readonly<Record<string, T>>,
    timeOf: (entry: T) => number,
    age: number,
  ): Record<string, T> =>
    Object.fromEntries(
      Object.entries(entries)
        .filter(([, entry]) => Math.abs(now - timeOf(entry)) < age)
        .slice(-MAX_ENTRIES),
    );
  return {
    ...memory,
    calls: kept({ ...memory.calls, [call]: now }, Number, 2 * REPEATED_WITHIN),
    compactions: kept(memory.compactions, ({ at }) => at, LIVE_FOR),
    messages: kept(
      memory.messages,
      (list) => list.at(-1)?.at ?? 0,
      MESSAGES_KEPT_FOR,
    ),
  };
}

/** What a session that has ended sends next is another call, even if it is resumed at once. */
export function forgetCalls(memory: HookState, session: string): HookState {
  const others = Object.entries(memory.calls).filter(
    ([call]) => !call.startsWith(`${session} `),
  );
  return { ...memory, calls: Object.fromEntries(others) };
}

/** Whether the session was compacted and never got its guidance: the next prompt gives it. */
export const isGuidanceDue = (
  { compactions }: HookState,
  session: string,
): boolean =>
  compactions[session]?.stage === 'due' ||
  compactions[session]?.missed === true;

/** Whether SessionStart gave the guidance of the compaction whose PostCompact is still to come. */
export const isGuidanceGiven = (
  { compactions }: HookState,
  session: string,
): boolean => compactions[session]?.stage === 'restored';

/** The guidance of a compaction was given. Its PostCompact is mostly still to come, but has been there if it was due. */
export function markRestored(
  memory: HookState,
  session: string,
  now: number,
): HookState {
  const isOver = memory.compactions[session]?.stage === 'due';
  return changed(
    memory,
    session,
    isOver ? null : { stage: 'restored', at: now },
  );
}

/** A compaction begins. Guidance that an earlier one owes stays due, in case this one never ends. */
export function markCompacting(
  memory: HookState,
  session: string,
  now: number,
  isUndecided: boolean,
): HookState {
  const missed = isGuidanceDue(memory, session);
  return changed(memory, session, {
    stage: 'begun',
    at: now,
    missed,
    isUndecided,
  });
}

/** Hooks take no longer ids, so nobody would be told. */
const MAX_SESSION_ID = 4_096;

/** Kept until the session is told, at its next prompt or command. */
export function addMessage(
  memory: HookState,
  session: string,
  message: Message,
): HookState {
  if (session.length > MAX_SESSION_ID) return memory;
  const list = [...messagesFor(memory, session), message].slice(-MAX_NOTICES);
  return { ...memory, messages: { ...memory.messages, [session]: list } };
}

export function messagesFor(
  { messages }: HookState,
  session: string,
): readonly Message[] {
  // A session may be named like a part of every object.
  return ownEntry(messages, session) ?? [];
}

export function takeMessages(memory: HookState, session: string, now: Date) {
  const news = messagesFor(memory, session).map(
    ({ at, text }) => `${text} (${timeAgo(at, now)}).`,
  );
  const { [session]: _told, ...messages } = memory.messages;
  return { news, memory: { ...memory, messages } };
}

export const markDue = (
  memory: HookState,
  session: string,
  now: number,
): HookState =>
  changed(memory, session, {
    ...memory.compactions[session],
    stage: 'due',
    at: now,
  });

export function clearDue(memory: HookState, session: string): HookState {
  const before = memory.compactions[session];
  const isUnderWay = before !== undefined && before.stage !== 'due';
  return changed(
    memory,
    session,
    isUnderWay ? { ...before, missed: false } : null,
  );
}

/** PostCompact comes last: where no SessionStart came before it, the guidance is still due. */
export const settleCompaction = (
  memory: HookState,
  session: string,
  now: number,
): HookState =>
  isGuidanceGiven(memory, session)
    ? changed(memory, session, null)
    : markDue(memory, session, now);

function changed(
  memory: HookState,
  session: string,
  compaction: Compaction | null,
): HookState {
  const { [session]: _before, ...others } = memory.compactions;
  return {
    ...memory,
    compactions: { ...others, ...(compaction && { [session]: compaction }) },
  };
}

const MAX_BYTES = 8_000_000;

export const readSourceRecords = (root: string): SourceRecords =>
  entriesOf(
    objectOr(readJsonFile(`${root}/${SOURCE_RECORDS_FILE}`))['sources'],
    isRecord,
  );

/** Undefined for a file that is not there or is damaged: then a source or a reminder may be handled twice. */
export function readJsonFile(path: string): unknown {
  const file = readTextFile(path, MAX_BYTES, 'refused');
  return file.kind === 'text' && isWithinLimits(file.text)
    ? parseJson(file.text)
    : undefined;
}

/** The entries of `workflow-state/sources.json` by their key; see `sources/source-records.ts`. */
export type SourceRecords = Readonly<Record<string, SourceRecord>>;

export interface SourceRecord {
  run_id: string;
  said: JsonObject;
  /** The run is in the archive because this source no longer declared it. */
  away?: boolean;
  /** The run has ended; the source starts another one only after its declaration was gone. */
  ended?: { at: string; as: EndedAs };
  /** The branches on which the declaration was gone since then. */
  gone_on?: string[];
}

export type EndedAs = 'completed' | 'cancelled' | 'deleted';

/** A damaged entry counts as absent. What is said is checked where it is merged. */
function isRecord(record: unknown): record is SourceRecord {
  if (!isObject(record) || !isRunId(record['run_id'])) return false;
  const { said, ended, gone_on: branches = [] } = record;
  // The end is shown to the session, with commands that name the run.
  const isEnd =
    ended === undefined ||
    (isObject(ended) &&
      isText(ended['at']) &&
      /^(?:completed|cancelled|deleted)$/.test(String(ended['as'])));
  return isObject(said) && Array.isArray(branches) && isEnd;
}
