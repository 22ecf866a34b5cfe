/** What the user allows this call of `run` to use. */
export interface Limits {
  costUsd: number | null;
  timeMs: number | null;
  stepTimeMs: number | null;
}

/** What was used so far. A turn without a result has a cost that nobody knows. */
export interface Spending {
  costUsd: number;
  isCostComplete: boolean;
  tokens: number;
  turns: number;
}

export const NOTHING_SPENT: Spending = { costUsd: 0, isCostComplete: true, tokens: 0, turns: 0 };

export function withTurn(
  spent: Spending,
  turn: { costUsd: number | null; tokens: number; turns: number },
): Spending {
  return {
    costUsd: spent.costUsd + (turn.costUsd ?? 0),
    isCostComplete: spent.isCostComplete && turn.costUsd !== null,
    tokens: spent.tokens + turn.tokens,
    turns: spent.turns + turn.turns,
  };
}

export function usedUp(
  { costUsd, timeMs }: Limits,
  spent: Spending,
  elapsedMs: number,
): 'budget' | 'time' | null {
  if (costUsd !== null && spent.costUsd >= costUsd) return 'budget';
  return timeMs !== null && elapsedMs >= timeMs ? 'time' : null;
}

/**
 * The cost of a turn. The client reports the total of its process, and newer ones add what the session had cost
 * before it was resumed: `before` is the total that is already accounted for, null if nobody knows.
 */
export function turnCost(
  result: { totalCost: number | null; turnCost: number | null } | null,
  before: number | null,
): number | null {
  if (result === null) return null;
  const { totalCost, turnCost: cost } = result;
  return cost ?? (totalCost === null || before === null ? null : Math.max(totalCost - before, 0));
}

/** What went wrong outside of the agent's work. */
export type Trouble = 'overloaded' | 'rate_limit' | 'connection' | 'crash' | 'silence';

/** How often a turn is repeated in a row for each kind of trouble. */
const TRIES: Record<Trouble, number> = {
  overloaded: 8,
  rate_limit: 8,
  connection: 6,
  crash: 3,
  silence: 2,
};
const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 300_000;

/** How long to wait before try number `tries + 1`; null if it has been tried often enough. */
export function waitBefore(
  why: Trouble,
  tries: number,
  firstWaitMs = FIRST_WAIT_MS,
): number | null {
  return tries >= TRIES[why] ? null : Math.min(firstWaitMs * 3 ** tries, LONGEST_WAIT_MS);
}

const UNKNOWN_RESET_MS = 15 * 60_000;
const AFTER_RESET_MS = 30_000;

/** How long to wait for a usage limit: until shortly after its reset, or a while if the client does not say when. */
export function waitForReset(
  resetsAt: number | null,
  now: number,
  marginMs = AFTER_RESET_MS,
): number {
  return resetsAt === null ? UNKNOWN_RESET_MS : Math.max(resetsAt - now, 0) + marginMs;
}

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** `40s`, `15m`, `2h`, in milliseconds; null for anything else. */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,6}(?:\.\d{1,3})?)([smh])$/.exec(text.trim().toLowerCase());
  const [, amount = '', unit = ''] = match ?? [];
  const milliseconds = Number(amount) * (UNITS[unit] ?? 0);
  return milliseconds > 0 ? milliseconds : null;
}

/** `40 s`, `15 min`, `2 h 5 min`, for people. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const minutes = Math.floor(seconds / 60);
  const parts =
    minutes < 60
      ? [`${minutes} min`, `${seconds % 60} s`]
      : [`${Math.floor(minutes / 60)} h`, `${minutes % 60} min`];
  return parts.filter((part) => !part.startsWith('0 ')).join(' ') || '0 s';
}
