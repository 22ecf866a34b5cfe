import { describe, expect, it } from 'vitest';
import type { DriverEvent } from '../../../../src/driver/events.ts';
import { Retries } from '../../../../src/driver/limits/retries.ts';

function retries() {
  const events: DriverEvent[] = [];
  const own = new Retries(
    {
      emit: (event) => void events.push(event),
      signal: new AbortController().signal,
      timing: { firstWaitMs: 1_000, silenceMs: 1_000 },
    },
    { withinRunTime: () => 0 },
  );
  return { own, events };
}

const trouble = (why: 'crash' | 'connection') =>
  ({ kind: 'try_again', why, words: 'no luck', status: why === 'crash' ? null : 500 }) as const;

describe('a turn that is repeated', () => {
  it('waits longer after each failure, and is given up with the number of tries', async () => {
    const { own, events } = retries();
    for (let tries = 0; tries < 6; tries += 1)
      expect(await own.waitAfter(trouble('connection'))).toBeNull();
    expect(events).toMatchObject([
      { event: 'retry', attempt: 1, wait_seconds: 1, message: 'no luck' },
      { attempt: 2, wait_seconds: 3 },
      { attempt: 3, wait_seconds: 9 },
      { attempt: 4 },
      { attempt: 5 },
      { attempt: 6 },
    ]);
    expect(await own.waitAfter(trouble('connection'))).toEqual({
      reason: 'api',
      status: 500,
      words: 'no luck',
      tries: 7,
    });
  });

  it('begins anew after a turn that worked', async () => {
    const { own } = retries();
    for (let tries = 0; tries < 3; tries += 1) await own.waitAfter(trouble('crash'));
    own.reset();
    expect(await own.waitAfter(trouble('crash'))).toBeNull();
  });

  it('blames the client for a crash', async () => {
    const { own } = retries();
    for (let tries = 0; tries < 3; tries += 1) await own.waitAfter(trouble('crash'));
    expect(await own.waitAfter(trouble('crash'))).toEqual({ reason: 'client', words: 'no luck' });
  });

  it('waits for the reset of a usage limit', async () => {
    const { own, events } = retries();
    await own.waitForReset(0);
    expect(events).toEqual([
      { event: 'waiting_for_reset', resets_at: '1970-01-01T00:00:00.000Z', wait_seconds: 1 },
    ]);
  });
});
