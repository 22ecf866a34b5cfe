import { setTimeout as sleep } from 'node:timers/promises';
import { compactionWindow, fillPercent } from '../text/context-fill.ts';
import { activityEvent } from './activity.ts';
import type { Client } from './client.ts';
import type { DriveContext } from './setup.ts';
import type { StepSummary, Usage } from './event-types.generated.ts';
import { NO_USAGE, sumUsage } from './usage.ts';
import type { StepAt } from './run-now.ts';
import { apiStop, clientStop, type Stop } from './stop.ts';
import type { StreamMessage, TokenUsage } from './stream.ts';
import type { Trouble, TurnEvidence, Verdict } from './turn.ts';

/** A client that crashes or hangs does not come round by waiting, as the API does. */
const MAX_CLIENT_TRIES = 3;
const MAX_API_TRIES = 8;
const FIRST_WAIT_MS = 5_000;
const WAIT_FACTOR = 3;
const MAX_WAIT_MS = 300_000;

/** How long to wait before try number `tries + 1`; null if it has been tried often enough. */
export function waitBefore(
  why: Trouble,
  tries: number,
  firstWaitMs = FIRST_WAIT_MS,
): number | null {
  const maxTries = isOfClient(why) ? MAX_CLIENT_TRIES : MAX_API_TRIES;
  if (tries >= maxTries) return null;
  return Math.min(firstWaitMs * WAIT_FACTOR ** tries, MAX_WAIT_MS);
}

function isOfClient(why: Trouble): boolean {
  return why === 'crash' || why === 'silence';
}

/**
 * The cost of a turn; null if nobody knows. The client reports the total of its process, and newer ones add what the
 * session had cost before it was resumed: `before` is the total that is already accounted for.
 */
export function turnCost(
  total: number | null | undefined,
  before: number | null,
): number | null {
  if (typeof total !== 'number' || before === null) return null;
  return Math.max(total - before, 0);
}

/** If the client does not say when a usage limit is reset. */
const UNKNOWN_RESET_MS = 15 * 60_000;
/** The clocks of two machines differ. */
const AFTER_RESET_MS = 30_000;

/** What was used since a moment. */
type Spent = { since: number; used: Usage };

function usageOf({ since, used }: Spent): Usage {
  return { ...used, seconds: Math.round((Date.now() - since) / 1000) };
}

/** What this call of `run` has used, in all and for each step, against its limits; and what its client does, as events. */
export class RunAccount {
  /** Of the steps that were left. */
  readonly summaries: StepSummary[] = [];
  readonly #all: Spent = { since: Date.now(), used: NO_USAGE };
  #step: (Spent & { at: StepAt }) | null = null;
  /** The try of a step that was told last. */
  #announced = '';
  /** The sum of the costs that are known. */
  #knownCost = 0;
  /** Failures in a row. */
  #tries = 0;

  #turnTokens = 0;
  #lastMessage = '';
  /** Of the model, in tokens, once a turn has told it. */
  #window: number | null = null;

  constructor(private readonly context: DriveContext) {}

  usage(): Usage {
    return usageOf(this.#all);
  }

  stepUsage(): Usage {
    return this.#step === null ? NO_USAGE : usageOf(this.#step);
  }

  /** The run is here now. Returns the step that was left, if it was another one. */
  enter(at: StepAt | null): StepSummary | null {
    const isOver = at === null || at.isOver;
    if (!isOver && this.#step?.at.entry === at.entry) return null;
    const left = this.leave(at);
    this.#step = isOver ? null : { at, since: Date.now(), used: NO_USAGE };
    return left;
  }

  /** The driver stops here, or the run is at another step now. */
  leave(after: StepAt | null): StepSummary | null {
    if (this.#step === null) return null;
    const { at } = this.#step;
    const summary: StepSummary = {
      step: at.status.step,
      label: at.status.progress.text,
      outcome: outcomeOf(at, after),
      ...usageOf(this.#step),
    };
    this.#step = null;
    this.summaries.push(summary);
    return summary;
  }

  /** Whether this try of the step is told for the first time. */
  isNew({ entry, attempt }: StepAt): boolean {
    const name = `${entry} ${attempt}`;
    const isNew = this.#announced !== name;
    this.#announced = name;
    return isNew;
  }

  /** Books a turn, and remembers what the client has counted so far. */
  addTurn(client: Client, { result, usage }: TurnEvidence): void {
    const hasAnswered = result !== undefined || usage !== undefined;
    const cost = hasAnswered
      ? turnCost(result?.totalCost, client.costBefore)
      : 0;
    client.costBefore = result?.totalCost ?? client.costBefore;

    const tokens =
      result === undefined ? 0 : result.usage.input + result.usage.output;
    const used: Usage = {
      turns: result?.turns ?? 1,
      tokens,
      cost_usd: cost,
      seconds: 0,
    };
    this.#all.used = sumUsage(this.#all.used, used);
    if (this.#step !== null) this.#step.used = sumUsage(this.#step.used, used);
    this.#knownCost += cost ?? 0;
    this.#turnTokens = 0;
  }

  /** Tells what the client does: its tools, its tokens, how full its context is. */
  show(message: StreamMessage): void {
    switch (message.kind) {
      case 'tool':
        this.context.emit(activityEvent(message, this.context.root));
        break;
      case 'result':
        this.#window = message.contextWindow ?? this.#window;
        break;
      case 'usage':
        this.#showUsage(message);
        break;
      default:
        break;
    }
  }

  #showUsage({
    message,
    usage,
  }: Extract<StreamMessage, { kind: 'usage' }>): void {
    // A message comes in several lines, each with the usage of the whole.
    if (message === this.#lastMessage) return;
    this.#lastMessage = message;
    this.#turnTokens += usage.input + usage.output;
    this.context.emit({
      event: 'tokens',
      tokens: this.#turnTokens,
      context_percent: this.fill(usage),
    });
  }

  /** Percent of the context that a request has filled; null if nobody knows. */
  fill(usage: TokenUsage | undefined): number | null {
    if (this.#window === null || usage === undefined) return null;
    const { environment } = this.context.setup;
    return fillPercent(
      usage.input,
      compactionWindow(this.#window, environment),
    );
  }

  /** In dollars; null without a limit. */
  budgetLeft(): number | null {
    const { maxCost } = this.context.options;
    if (maxCost === undefined) return null;
    return Math.max(maxCost - this.#knownCost, 0);
  }

  /** In milliseconds. */
  #timeLeft(): number {
    const { maxTime = Infinity } = this.context.options;
    return maxTime - (Date.now() - this.#all.since);
  }

  /** The limit of the user that is reached; null if none is. */
  usedUp(): 'budget' | 'step_time' | 'time' | null {
    if (this.budgetLeft() === 0) return 'budget';
    if (this.#timeLeft() <= 0) return 'time';
    if (this.#step === null) return null;
    const { stepTime = Infinity } = this.context.options;
    return Date.now() - this.#step.since >= stepTime ? 'step_time' : null;
  }

  /** A turn has worked, so the waits before one that is repeated begin anew. */
  worked(): void {
    this.#tries = 0;
  }

  /** Longer after each failure in a row, and not without end. Null once the turn may be repeated. */
  async waitAfter({
    why,
    words,
    status,
  }: Extract<Verdict, { kind: 'try_again' }>): Promise<Stop | null> {
    const wait = waitBefore(why, this.#tries, this.context.timing.firstWaitMs);
    this.#tries += 1;
    if (wait === null && isOfClient(why)) return clientStop(words);
    if (wait === null) return apiStop(status, words, this.#tries);
    this.context.emit({
      event: 'retry',
      why,
      message: words,
      wait_seconds: Math.round(wait / 1000),
      attempt: this.#tries,
    });
    await this.#sleep(wait);
    return null;
  }

  /** Until shortly after a usage limit is reset, or a while if the client does not say when. */
  async waitForReset(resetsAt: number | null): Promise<void> {
    const wait = this.#waitUntilReset(resetsAt);
    this.context.emit({
      event: 'waiting_for_reset',
      resets_at: resetsAt === null ? null : new Date(resetsAt).toISOString(),
      wait_seconds: Math.round(wait / 1000),
    });
    await this.#sleep(wait);
  }

  #waitUntilReset(resetsAt: number | null): number {
    if (resetsAt === null) return UNKNOWN_RESET_MS;
    const margin = this.context.timing.firstWaitMs ?? AFTER_RESET_MS;
    return Math.max(resetsAt - Date.now(), 0) + margin;
  }

  /** Not longer than the time of the run, and not after Ctrl-C. */
  async #sleep(wait: number): Promise<void> {
    const { signal } = this.context;
    const ms = Math.max(0, Math.min(wait, this.#timeLeft()));
    await sleep(ms, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}

/** A step that was left for an earlier one is not finished, and neither is one at which the run was ended. */
function outcomeOf(
  before: StepAt,
  after: StepAt | null,
): StepSummary['outcome'] {
  if (after === null) return 'stopped';
  const { status } = after.machine;
  if (status === 'failed') return 'failed';
  if (status === 'running' && after.entry === before.entry) return 'stopped';
  const number = before.status.progress.currentStep;
  const isSkipped = Object.hasOwn(after.state.skipped ?? {}, String(number));
  const isEarlier = !after.isOver && after.status.progress.currentStep < number;
  return isSkipped || isEarlier ? 'left' : 'finished';
}
