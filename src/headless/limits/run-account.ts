import type { WorkingClient } from '../client/client-session.ts';
import { NOTHING_SPENT, turnCost, usedUp, withTurn, type Limits, type Spending } from './limits.ts';
import { StepTally } from '../step/step-tally.ts';
import type { Stop } from '../stop/stop.ts';
import { totalTokens, type TurnEvidence } from '../turn/turn-evidence.ts';

/** What this call of `run` has used, in all and for each step, against its limits. */
export class RunAccount {
  #spent: Spending = NOTHING_SPENT;
  readonly tally = new StepTally();
  readonly #started: number;

  constructor(
    private readonly limits: Limits,
    private readonly now: () => number = Date.now,
  ) {
    this.#started = now();
  }

  get spent(): Spending {
    return this.#spent;
  }

  elapsed(): number {
    return this.now() - this.#started;
  }

  /** Until a turn has to end; null without a limit. */
  timeLeft(): { step: number | null; run: number | null } {
    const { stepTimeMs, timeMs } = this.limits;
    return {
      step: stepTimeMs === null ? null : stepTimeMs - this.tally.elapsed(this.now()),
      run: timeMs === null ? null : timeMs - this.elapsed(),
    };
  }

  /** A wait must not outlast the time of the run. */
  withinRunTime(wait: number): number {
    const { run } = this.timeLeft();
    return run === null ? wait : Math.max(0, Math.min(wait, run));
  }

  /** Books a turn, and remembers what the client has counted so far. */
  addTurn(working: WorkingClient, { result, usage, contextTokens }: TurnEvidence): void {
    // A client that never answered has cost nothing.
    const isFree = result === null && contextTokens === null;
    const costUsd = isFree ? 0 : turnCost(result, working.costBefore);
    const tokens = totalTokens(usage);
    working.costBefore = result?.totalCost ?? working.costBefore;
    this.#spent = withTurn(this.#spent, { costUsd, tokens });
    this.tally.add({ costUsd, tokens, turns: result?.turns ?? 1 });
  }

  /** Null while there is something left. */
  overLimit(): Stop | null {
    const over = usedUp(this.limits, this.#spent, this.elapsed());
    if (over === 'budget') return { reason: 'budget', costUsd: this.limits.costUsd ?? 0 };
    if (over === 'time') return { reason: 'time', limitMs: this.limits.timeMs ?? 0 };
    return null;
  }
}
