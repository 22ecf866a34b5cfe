import { isObject, type JsonObject } from '../../text/json.ts';
import { LIVE_FOR } from '../live-for.ts';
import { validEntries } from './json-file.ts';

/**
 * What hooks of one session must know of each other. Its sentences are told as holdfast's own, so it is kept where no
 * repository can bring it along: see hook-memory.ts. Times in milliseconds.
 */
export interface HookState {
  /** Calls that were answered: see answered-calls.ts. */
  calls: Readonly<Record<string, number>>;
  /** The latest compaction of each session, as long as a later event depends on it: see compactions.ts. */
  compactions: Readonly<Record<string, Compaction>>;
  /** What the user has to be told once, at the next SessionStart. */
  notices: readonly string[];
  /** What each session has to be told once, because somebody else took or changed its run: see messages.ts. */
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
  const fields = isObject(json) ? json : {};
  const { calls, compactions, notices, messages, receipts } = fields;
  return {
    calls: validEntries(calls, isTime),
    compactions: validEntries(compactions, isCompaction),
    notices: Array.isArray(notices) ? notices.filter(isText) : [],
    messages: validEntries(messages, isMessageList),
    receipts: isObject(receipts) ? receipts : {},
  };
}

const isTime = (value: unknown): value is number => typeof value === 'number';

const isText = (value: unknown): value is string => typeof value === 'string';

/** A stage that this version does not know is none of those that it asks for. */
const isCompaction = (value: unknown): value is Compaction =>
  isObject(value) && isTime(value['at']);

const isMessageList = (value: unknown): value is Message[] =>
  Array.isArray(value) && value.every(isMessage);

const isMessage = (value: unknown): value is Message =>
  isObject(value) && isTime(value['at']) && isText(value['text']);

/** A session may be resumed days later, and is still told then who took its run. */
const MESSAGES_KEPT_FOR_MS = 14 * 24 * 3_600_000;

export function withoutOldEntries(memory: HookState, now: number): HookState {
  const { compactions, messages } = memory;
  const latestTime = (list: readonly Message[]): number => list.at(-1)?.at ?? 0;
  return {
    ...memory,
    compactions: recentEntries(compactions, ({ at }) => at, now, LIVE_FOR),
    messages: recentEntries(messages, latestTime, now, MESSAGES_KEPT_FOR_MS),
  };
}

/** Keeps the file small where very many sessions come within the time that their entries are kept. */
const MAX_ENTRIES = 200;

/** The entries that are younger than `maxAgeMs`. A clock that was set back makes none of them last for ever. */
export function recentEntries<T>(
  entries: Readonly<Record<string, T>>,
  timeOf: (entry: T) => number,
  now: number,
  maxAgeMs: number,
): Record<string, T> {
  const recent: [key: string, entry: T][] = [];
  for (const [key, entry] of Object.entries(entries))
    if (Math.abs(now - timeOf(entry)) < maxAgeMs) recent.push([key, entry]);
  return Object.fromEntries(recent.slice(-MAX_ENTRIES));
}
