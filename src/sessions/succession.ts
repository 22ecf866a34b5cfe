import { isObject, type JsonObject } from '../state/json.ts';
import type { StoredRun } from '../state/types.ts';
import { currentIdOf } from './history.ts';

const WITHIN = 60_000;
const KEPT_FOR = 7 * 24 * 3_600_000;
const MAX_ENTRIES = 200;

/** What is known of sessions that ended by /clear, whether or not they held a run. Times in milliseconds. */
export interface Succession {
  /** Ended, and nobody has come after them yet; with the host's process, where it tells. */
  cleared: Record<string, { at: number; pid?: string }>;
  successors: Record<string, { at: number; session: string }>;
}

export function successionFrom(json: unknown): Succession {
  const { cleared, successors } = isObject(json) ? json : {};
  return {
    cleared: entriesFrom(cleared, ({ at, pid }) =>
      typeof at === 'number' ? { at, ...(typeof pid === 'string' ? { pid } : {}) } : undefined,
    ),
    successors: entriesFrom(successors, ({ at, session }) =>
      typeof at === 'number' && typeof session === 'string' ? { at, session } : undefined,
    ),
  };
}

/** The session that stands for this one now: an MCP server outlives /clear with the old id. */
export function successorOf(
  session: string,
  runs: readonly StoredRun[],
  { successors }: Pick<Succession, 'successors'>,
): string {
  const visited = new Set<string>();
  let id = session;
  while (!visited.has(id)) {
    visited.add(id);
    const current = currentIdOf(id, runs);
    id = Object.hasOwn(successors, current) ? (successors[current]?.session ?? current) : current;
  }
  return id;
}

export function withCleared<Memory extends Succession>(
  memory: Memory,
  session: string,
  pid: string | undefined,
  now: number,
): Memory {
  const ended = { at: now, ...(pid === undefined ? {} : { pid }) };
  return { ...memory, cleared: recent({ ...memory.cleared, [session]: ended }, now, WITHIN) };
}

/** The session that begins by /clear comes after the only one that can be meant. */
export function withArrival<Memory extends Succession>(
  memory: Memory,
  session: string,
  pid: string | undefined,
  now: number,
): Memory {
  const fits = (former: { pid?: string }): boolean =>
    former.pid === undefined || pid === undefined || former.pid === pid;
  const waiting = Object.entries(recent(memory.cleared, now, WITHIN));
  const [only, another] = waiting.filter(([id, former]) => id !== session && fits(former));
  if (only === undefined || another !== undefined) return memory;
  const [former] = only;
  const { [former]: _taken, ...cleared } = memory.cleared;
  const successors = { ...memory.successors, [former]: { at: now, session } };
  return { ...memory, cleared, successors: recent(successors, now, KEPT_FOR) };
}

/** A conversation from before a /clear that is opened again stands for itself. */
export function withReturn<Memory extends Succession>(memory: Memory, session: string): Memory {
  if (!Object.hasOwn(memory.successors, session)) return memory;
  const { [session]: _successor, ...successors } = memory.successors;
  return { ...memory, successors };
}

function entriesFrom<Entry>(
  json: unknown,
  entryFrom: (value: JsonObject) => Entry | undefined,
): Record<string, Entry> {
  const entries = Object.entries(isObject(json) ? json : {}).flatMap(([key, value]) => {
    const entry = isObject(value) ? entryFrom(value) : undefined;
    return entry === undefined ? [] : [[key, entry] as const];
  });
  return Object.fromEntries(entries);
}

function recent<Entry extends { at: number }>(
  entries: Record<string, Entry>,
  now: number,
  age: number,
): Record<string, Entry> {
  return Object.fromEntries(
    Object.entries(entries)
      .filter(([, { at }]) => Math.abs(now - at) <= age)
      .slice(-MAX_ENTRIES),
  );
}
