import type { DriveContext } from '../drive-context.ts';
import { waitBefore, waitForReset } from './limits.ts';
import type { RunAccount } from './run-account.ts';
import { sleepUntilAborted } from './sleep.ts';
import type { Stop } from '../stop/stop.ts';
import type { Verdict } from '../turn/verdict.ts';

/** The waits before a turn is repeated: longer after each failure in a row, and not without end. */
export class Retries {
  #tries = 0;

  constructor(
    private readonly context: Pick<DriveContext, 'timing' | 'emit' | 'signal'>,
    private readonly account: Pick<RunAccount, 'withinRunTime'>,
  ) {}

  /** A turn has worked. */
  reset(): void {
    this.#tries = 0;
  }

  /** Null once the wait is over and the turn may be repeated. */
  async waitAfter({
    why,
    words,
    status,
  }: Extract<Verdict, { kind: 'try_again' }>): Promise<Stop | null> {
    const { timing, emit } = this.context;
    const wait = waitBefore(why, this.#tries, timing.firstWaitMs);
    if (wait === null)
      return why === 'crash' || why === 'silence'
        ? { reason: 'client', words }
        : { reason: 'api', status, words, tries: this.#tries + 1 };
    this.#tries += 1;
    emit({
      event: 'retry',
      why,
      message: words,
      wait_seconds: Math.round(wait / 1000),
      attempt: this.#tries,
    });
    await this.#sleep(wait);
    return null;
  }

  /** Until shortly after a usage limit is reset. */
  async waitForReset(resetsAt: number | null): Promise<void> {
    const { timing, emit } = this.context;
    const wait = waitForReset(resetsAt, Date.now(), timing.firstWaitMs);
    const resets_at = resetsAt === null ? null : new Date(resetsAt).toISOString();
    emit({ event: 'waiting_for_reset', resets_at, wait_seconds: Math.round(wait / 1000) });
    await this.#sleep(wait);
  }

  async #sleep(wait: number): Promise<void> {
    await sleepUntilAborted(this.account.withinRunTime(wait), this.context.signal);
  }
}
