import { setTimeout as sleep } from 'node:timers/promises';
import type { DriveContext, Limits } from './context.ts';
import type { StepSummary, Usage } from './event-types.generated.ts';
import type { WorkingClient } from './session.ts';
import type { StepAt } from './step.ts';
import type { Stop } from './stop.ts';
import type { Trouble, TurnEvidence, Verdict } from './verdict.ts';

/** What was used so far. A turn without a result has a cost that nobody knows. */
export const NOTHING_SPENT = { costUsd: 0, isCostComplete: true, tokens: 0, turns: 0 };

export type Spending = typeof NOTHING_SPENT;

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
  { maxCost, maxTime }: Limits,
  spent: Spending,
  elapsedMs: number,
): 'budget' | 'time' | null {
  if (maxCost !== undefined && spent.costUsd >= maxCost) return 'budget';
  return maxTime !== undefined && elapsedMs >= maxTime ? 'time' : null;
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

/** The most lines of a summary: a run of thousands of iterations must not fill the memory. */
const MAX_SUMMARIES = 1_000;

interface StepAccount {
  at: StepAt;
  since: number;
  spent: Spending;
}

/** What this call of `run` has used, in all and for each step, against its limits. */
export class RunAccount {
  readonly summaries: StepSummary[] = [];
  readonly #started = Date.now();
  #spent = NOTHING_SPENT;
  #step: StepAccount | null = null;
  #announced = '';

  constructor(private readonly limits: Limits) {}

  /** In all. */
  usage(): Usage {
    return usageOf(this.#spent, this.#started);
  }

  stepUsage(): Usage {
    return usageOf(this.#step?.spent ?? NOTHING_SPENT, this.#step?.since ?? Date.now());
  }

  /** The run is here now. Returns the step that was left, if it was another one. */
  enter(at: StepAt | null): StepSummary | null {
    const before = this.#step;
    if (at !== null && !at.isOver && before?.at.entry === at.entry) return null;
    this.#step = at === null || at.isOver ? null : { at, since: Date.now(), spent: NOTHING_SPENT };
    return before === null ? null : this.#close(before, outcomeOf(before.at, at));
  }

  /** The driver stops here. */
  leave(at: StepAt | null): void {
    const step = this.#step;
    this.#step = null;
    if (step === null) return;
    const isHere = at !== null && !at.isOver && at.entry === step.at.entry;
    this.#close(step, isHere ? 'stopped' : outcomeOf(step.at, at));
  }

  #close({ at: { step, label }, since, spent }: StepAccount, outcome: StepSummary['outcome']) {
    const summary: StepSummary = { step, label, outcome, ...usageOf(spent, since) };
    this.summaries.push(summary);
    if (this.summaries.length > MAX_SUMMARIES) this.summaries.shift();
    return summary;
  }

  /** Whether this entry has not been announced yet. */
  isNew({ entry, attempt }: StepAt): boolean {
    const name = `${entry} ${attempt}`;
    const isNew = this.#announced !== name;
    this.#announced = name;
    return isNew;
  }

  /** Books a turn, and remembers what the client has counted so far. */
  addTurn(working: WorkingClient, { result, lastUsage }: TurnEvidence): void {
    // A client that never answered has cost nothing.
    const isFree = result === null && lastUsage === null;
    const { input, output } = result?.usage ?? { input: 0, output: 0 };
    const turn = {
      costUsd: isFree ? 0 : turnCost(result, working.costBefore),
      tokens: input + output,
      turns: result?.turns ?? 1,
    };
    working.costBefore = result?.totalCost ?? working.costBefore;
    this.#spent = withTurn(this.#spent, turn);
    if (this.#step !== null) this.#step.spent = withTurn(this.#step.spent, turn);
  }

  /** What the client may still spend; null without a limit. */
  budgetLeft(): number | null {
    const { maxCost } = this.limits;
    return maxCost === undefined ? null : Math.max(maxCost - this.#spent.costUsd, 0);
  }

  /** Until a turn has to end; null without a limit. */
  timeLeft(): { step_time: number | null; time: number | null } {
    const { stepTime, maxTime } = this.limits;
    const left = (limit: number | undefined, since: number): number | null =>
      limit === undefined ? null : limit - (Date.now() - since);
    return {
      step_time: left(stepTime, this.#step?.since ?? Date.now()),
      time: left(maxTime, this.#started),
    };
  }

  /** Null while there is something left. */
  overLimit(): Stop | null {
    const reason = usedUp(this.limits, this.#spent, Date.now() - this.#started);
    return reason === null ? null : { reason };
  }
}

function usageOf({ turns, tokens, costUsd, isCostComplete }: Spending, since: number): Usage {
  const seconds = Math.round((Date.now() - since) / 1000);
  return { turns, tokens, cost_usd: isCostComplete ? costUsd : null, seconds };
}

/** A step that was left for an earlier one is not finished, and neither is one at which the run was ended. */
function outcomeOf(before: StepAt, after: StepAt | null): StepSummary['outcome'] {
  if (after === null) return 'stopped';
  const { status } = after.templateRun.machine;
  if (status === 'failed') return 'failed';
  if (status === 'running' && after.isOver && after.entry === before.entry) return 'stopped';
  const isSkipped = Object.hasOwn(after.run.state.skipped ?? {}, String(before.number));
  const isEarlier = !after.isOver && after.number < before.number;
  return isSkipped || isEarlier ? 'left' : 'finished';
}

/** The waits before a turn is repeated: longer after each failure in a row, and not without end. */
export class Retries {
  #tries = 0;

  constructor(
    private readonly context: Pick<DriveContext, 'timing' | 'emit' | 'signal'>,
    private readonly account: RunAccount,
  ) {}

  /** A turn has worked. */
  reset(): void {
    this.#tries = 0;
  }

  /** Null once the wait is over and the turn may be repeated. */
  async waitAfter(verdict: Extract<Verdict, { kind: 'try_again' }>): Promise<Stop | null> {
    const { why, words, status } = verdict;
    const wait = waitBefore(why, this.#tries, this.context.timing.firstWaitMs);
    this.#tries += 1;
    if (wait === null)
      return why === 'crash' || why === 'silence'
        ? { reason: 'client', words }
        : { reason: 'api', status, words, tries: this.#tries };
    const wait_seconds = Math.round(wait / 1000);
    this.context.emit({ event: 'retry', why, message: words, wait_seconds, attempt: this.#tries });
    await this.#sleep(wait);
    return null;
  }

  /** Until shortly after a usage limit is reset. */
  async waitForReset(resetsAt: number | null): Promise<void> {
    const wait = waitForReset(resetsAt, Date.now(), this.context.timing.firstWaitMs);
    const resets_at = resetsAt === null ? null : new Date(resetsAt).toISOString();
    const wait_seconds = Math.round(wait / 1000);
    this.context.emit({ event: 'waiting_for_reset', resets_at, wait_seconds });
    await this.#sleep(wait);
  }

  /** Not longer than the time of the run, and not after Ctrl-C. */
  async #sleep(wait: number): Promise<void> {
    const { signal } = this.context;
    const { time } = this.account.timeLeft();
    const ms = Math.max(0, time === null ? wait : Math.min(wait, time));
    await sleep(ms, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}
