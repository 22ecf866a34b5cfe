import { isAbsolute, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compactionWindow, fillPercent } from '../text/context-fill.ts';
import { sanitizeLine, truncate } from '../text/sanitize.ts';
import type { Client } from './client.ts';
import type { DriveContext, DriverEvent } from './setup.ts';
import type { StepSummary, Usage } from './event-types.generated.ts';
import { NOTHING, sumUsage } from './screen.ts';
import { apiStop, clientStop, type StepAt, type Stop } from './step.ts';
import type { StreamMessage, TokenUsage } from './stream.ts';
import type { Trouble, TurnEvidence, Verdict } from './turn.ts';

/**
 * The client reports the total of its process, and newer ones add what the session had cost before it was resumed:
 * `before` is what is already accounted for, null if nobody knows.
 */
export function turnCost(
  total: number | null | undefined,
  before: number | null,
): number | null {
  return typeof total !== 'number' || before === null
    ? null
    : Math.max(total - before, 0);
}

const isOfClient = (why: Trouble): boolean =>
  why === 'crash' || why === 'silence';

/** How long to wait before try number `tries + 1`; null if it has been tried often enough. */
export function waitBefore(why: Trouble, tries: number, firstWaitMs = 5_000) {
  return tries >= (isOfClient(why) ? 3 : 8)
    ? null
    : Math.min(firstWaitMs * 3 ** tries, 300_000);
}

const UNKNOWN_RESET_MS = 15 * 60_000;
const AFTER_RESET_MS = 30_000;

type Spent = { since: number; used: Usage };

function usageOf({ since, used }: Spent): Usage {
  return { ...used, seconds: Math.round((Date.now() - since) / 1000) };
}

/** What this call of `run` has used, in all and for each step, against its limits; and what its client does, as events. */
export class RunAccount {
  readonly summaries: StepSummary[] = [];
  readonly #all: Spent = { since: Date.now(), used: NOTHING };
  #step: (Spent & { at: StepAt }) | null = null;
  #announced = '';
  #knownCost = 0;
  #tries = 0;

  #turnTokens = 0;
  #lastMessage = '';
  /** Of the model, once a turn has told it. */
  #window: number | null = null;

  constructor(private readonly context: DriveContext) {}

  usage(): Usage {
    return usageOf(this.#all);
  }

  stepUsage(): Usage {
    return this.#step === null ? NOTHING : usageOf(this.#step);
  }

  /** The run is here now. Returns the step that was left, if it was another one. */
  enter(at: StepAt | null): StepSummary | null {
    if (at !== null && !at.isOver && this.#step?.at.entry === at.entry)
      return null;
    const left = this.leave(at);
    this.#step =
      at === null || at.isOver
        ? null
        : { at, since: Date.now(), used: NOTHING };
    return left;
  }

  /** The driver stops here, or the run is at another step now. */
  leave(after: StepAt | null): StepSummary | null {
    if (this.#step === null) return null;
    const { at } = this.#step;
    const { step, progress } = at.status;
    const outcome = outcomeOf(at, after);
    const summary = {
      step,
      label: progress.text,
      outcome,
      ...usageOf(this.#step),
    };
    this.#step = null;
    this.summaries.push(summary);
    return summary;
  }

  isNew({ entry, attempt }: StepAt): boolean {
    const name = `${entry} ${attempt}`;
    const isNew = this.#announced !== name;
    this.#announced = name;
    return isNew;
  }

  /** Books a turn, and remembers what the client has counted so far. */
  addTurn(client: Client, { result, usage }: TurnEvidence): void {
    // A client that never answered has cost nothing.
    const isFree = result === undefined && usage === undefined;
    const cost = isFree ? 0 : turnCost(result?.totalCost, client.costBefore);
    const tokens =
      result === undefined ? 0 : result.usage.input + result.usage.output;
    client.costBefore = result?.totalCost ?? client.costBefore;
    const used = {
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
    const { emit, root } = this.context;
    if (message.kind === 'tool') emit(describeActivity(message, root));
    if (message.kind === 'result')
      this.#window = message.contextWindow ?? this.#window;
    // A message comes in several lines, each with the usage of the whole.
    if (message.kind !== 'usage' || message.message === this.#lastMessage)
      return;
    this.#lastMessage = message.message;
    this.#turnTokens += message.usage.input + message.usage.output;
    const context_percent = this.fill(message.usage);
    emit({ event: 'tokens', tokens: this.#turnTokens, context_percent });
  }

  /** Percent of the context that a request has filled; null if nobody knows. */
  fill(usage: TokenUsage | undefined): number | null {
    if (this.#window === null || usage === undefined) return null;
    return fillPercent(
      usage.input,
      compactionWindow(this.#window, this.context.setup.environment),
    );
  }

  budgetLeft(): number | null {
    const { maxCost } = this.context.options;
    return maxCost === undefined
      ? null
      : Math.max(maxCost - this.#knownCost, 0);
  }

  #timeLeft(): number {
    return (
      (this.context.options.maxTime ?? Infinity) -
      (Date.now() - this.#all.since)
    );
  }

  usedUp(): 'budget' | 'step_time' | 'time' | null {
    const { stepTime = Infinity } = this.context.options;
    if (this.budgetLeft() === 0) return 'budget';
    if (this.#timeLeft() <= 0) return 'time';
    return this.#step !== null && Date.now() - this.#step.since >= stepTime
      ? 'step_time'
      : null;
  }

  /** A turn has worked, so the waits before one that is repeated begin anew. */
  worked(): void {
    this.#tries = 0;
  }

  /** Longer after each failure in a row, and not without end. Null once the turn may be repeated. */
  async waitAfter(
    verdict: Extract<Verdict, { kind: 'try_again' }>,
  ): Promise<Stop | null> {
    const { why, words, status } = verdict;
    const wait = waitBefore(why, this.#tries, this.context.timing.firstWaitMs);
    this.#tries += 1;
    if (wait === null)
      return isOfClient(why)
        ? clientStop(words)
        : apiStop(status, words, this.#tries);
    const wait_seconds = Math.round(wait / 1000);
    this.context.emit({
      event: 'retry',
      why,
      message: words,
      wait_seconds,
      attempt: this.#tries,
    });
    await this.#sleep(wait);
    return null;
  }

  /** Until shortly after a usage limit is reset, or a while if the client does not say when. */
  async waitForReset(resetsAt: number | null): Promise<void> {
    const margin = this.context.timing.firstWaitMs ?? AFTER_RESET_MS;
    const wait =
      resetsAt === null
        ? UNKNOWN_RESET_MS
        : Math.max(resetsAt - Date.now(), 0) + margin;
    const resets_at =
      resetsAt === null ? null : new Date(resetsAt).toISOString();
    const wait_seconds = Math.round(wait / 1000);
    this.context.emit({ event: 'waiting_for_reset', resets_at, wait_seconds });
    await this.#sleep(wait);
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
  const { currentStep: number } = before.status.progress;
  if (status === 'failed') return 'failed';
  if (status === 'running' && after.entry === before.entry) return 'stopped';
  const isSkipped = Object.hasOwn(after.state.skipped ?? {}, String(number));
  const isEarlier = !after.isOver && after.status.progress.currentStep < number;
  return isSkipped || isEarlier ? 'left' : 'finished';
}

const MAX_TARGET = 120;
const FILES = ['file_path', 'path', 'notebook_path'];
const WORDS = ['command', 'pattern', 'query', 'url', 'description', 'skill'];

/** What a tool is used on, in a few words: a file of the project, a command, or what is searched for. */
function describeActivity(
  { name, input, isOfSubAgent }: Extract<StreamMessage, { kind: 'tool' }>,
  root: string,
): DriverEvent {
  const first = (keys: string[]): string | undefined =>
    keys
      .map((key) => input[key])
      .find(
        (value): value is string => typeof value === 'string' && value !== '',
      );
  const file = first(FILES);
  const inside =
    file !== undefined && isAbsolute(file) ? relative(root, file) : file;
  const target =
    (inside?.startsWith('..') === true ? file : inside) ?? first(WORDS) ?? '';
  return {
    event: 'activity',
    tool: truncate(sanitizeLine(name), MAX_TARGET),
    target: truncate(sanitizeLine(target.split('\n')[0] ?? ''), MAX_TARGET),
    sub_agent: isOfSubAgent,
  };
}
