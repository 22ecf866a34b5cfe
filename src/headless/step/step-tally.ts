import type { StepSummary, Usage } from '../events.ts';
import { NOTHING_SPENT, withTurn, type Spending } from '../limits/limits.ts';
import type { StepAt } from './step-at.ts';

/** The most lines of a summary: a run of thousands of iterations must not fill the memory. */
const MAX_SUMMARIES = 1_000;

interface Current {
  at: StepAt;
  since: number;
  spent: Spending;
  turns: number;
}

/** What each step has used. */
export class StepTally {
  #current: Current | null = null;
  #announced: string | null = null;
  readonly summaries: StepSummary[] = [];

  /** The run is here now. Returns the step that was left, if it was another one. */
  enter(at: StepAt | null, now: number): StepSummary | null {
    const before = this.#current;
    const isSame = before !== null && at !== null && before.at.entry === at.entry && !at.isOver;
    if (isSame) return null;
    this.#current =
      at === null || at.isOver ? null : { at, since: now, spent: NOTHING_SPENT, turns: 0 };
    if (before === null) return null;
    return this.#close(before, outcomeOf(before.at, at), now);
  }

  /** Whether this entry has not been announced yet. */
  isNew({ entry, attempt }: StepAt): boolean {
    const name = `${entry} ${attempt}`;
    if (this.#announced === name) return false;
    this.#announced = name;
    return true;
  }

  add(turn: { costUsd: number | null; tokens: number; turns: number }): void {
    if (this.#current === null) return;
    this.#current.spent = withTurn(this.#current.spent, turn);
    this.#current.turns += turn.turns;
  }

  /** Milliseconds since the step was entered. */
  elapsed(now: number): number {
    return this.#current === null ? 0 : now - this.#current.since;
  }

  usage(now: number): Usage {
    return this.#current === null
      ? { turns: 0, tokens: 0, cost_usd: 0, seconds: 0 }
      : usageOf(this.#current, now);
  }

  /** The driver stops. */
  close(at: StepAt | null, now: number): void {
    const current = this.#current;
    this.#current = null;
    if (current === null) return;
    const isHere = at !== null && !at.isOver && at.entry === current.at.entry;
    this.#close(current, isHere ? 'stopped' : outcomeOf(current.at, at), now);
  }

  #close(current: Current, outcome: StepSummary['outcome'], now: number): StepSummary {
    const { step, label } = current.at;
    const summary = { step, label, outcome, ...usageOf(current, now) };
    this.summaries.push(summary);
    if (this.summaries.length > MAX_SUMMARIES) this.summaries.shift();
    return summary;
  }
}

function usageOf({ spent, turns, since }: Current, now: number): Usage {
  return {
    turns,
    tokens: spent.tokens,
    cost_usd: spent.isCostComplete ? spent.costUsd : null,
    seconds: Math.round((now - since) / 1000),
  };
}

/** A step that was left for an earlier one is not finished, and neither is one at which the run was ended. */
function outcomeOf(before: StepAt, after: StepAt | null): StepSummary['outcome'] {
  if (after === null) return 'stopped';
  const { status } = after.templateRun.machine;
  if (status === 'failed') return 'failed';
  if (status === 'running' && after.isOver && after.entry === before.entry) return 'stopped';
  const skipped = after.run.state.skipped ?? {};
  if (Object.hasOwn(skipped, String(before.number))) return 'left';
  if (!after.isOver && after.number < before.number) return 'left';
  return 'finished';
}
