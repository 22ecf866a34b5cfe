import { describe, expect, it } from 'vitest';
import type { WorkingClient } from '../../../../src/driver/client/client-session.ts';
import type { Limits } from '../../../../src/driver/limits/limits.ts';
import { RunAccount } from '../../../../src/driver/limits/run-account.ts';
import { noEvidence, type TurnEvidence } from '../../../../src/driver/turn/turn-evidence.ts';
import { parseStreamLine } from '../../../../src/driver/client/stream-message.ts';

const LIMITS = { costUsd: 1, timeMs: 10_000, stepTimeMs: 4_000 };

function account(limits: Limits = LIMITS): { account: RunAccount; pass: (ms: number) => void } {
  let now = 1_000;
  return {
    account: new RunAccount(limits, () => now),
    pass: (ms) => {
      now += ms;
    },
  };
}

function turn(totalCost: number | null): TurnEvidence {
  const line = {
    type: 'result',
    num_turns: 2,
    total_cost_usd: totalCost,
    usage: { input_tokens: 10, output_tokens: 5 },
  };
  const [message] = parseStreamLine(JSON.stringify(line));
  const result = message?.kind === 'result' ? message.result : null;
  return {
    ...noEvidence(),
    result,
    usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 },
    contextTokens: 10,
  };
}

const working = (): WorkingClient => ({
  client: {
    pid: null,
    listen: () => () => undefined,
    exited: new Promise(() => undefined),
    prompt: () => undefined,
    interrupt: () => undefined,
    ask: () => undefined,
    end: () => new Promise(() => undefined),
  },
  session: 's',
  agent: null,
  isResumed: false,
  wantsReport: false,
  costBefore: 0,
  hasExited: false,
});

describe('the account of a run', () => {
  it('books what each turn adds to the total of its client', () => {
    const { account: own } = account();
    const client = working();
    own.addTurn(client, turn(0.25));
    own.addTurn(client, turn(0.75));
    expect(client.costBefore).toBe(0.75);
    expect(own.spent).toMatchObject({ costUsd: 0.75, isCostComplete: true, tokens: 30 });
    expect(own.overLimit()).toBeNull();
    own.addTurn(client, turn(1.5));
    expect(own.overLimit()).toEqual({ reason: 'budget', costUsd: 1 });
  });

  it('knows that a turn without a result has an unknown cost, unless nothing was asked', () => {
    const { account: own } = account();
    own.addTurn(working(), { ...noEvidence() });
    expect(own.spent.isCostComplete).toBe(true);
    own.addTurn(working(), { ...noEvidence(), contextTokens: 500 });
    expect(own.spent.isCostComplete).toBe(false);
  });

  it('counts the time of the run, and no wait outlasts it', () => {
    const { account: own, pass } = account();
    expect(own.timeLeft().run).toBe(10_000);
    pass(9_000);
    expect(own.elapsed()).toBe(9_000);
    expect(own.withinRunTime(5_000)).toBe(1_000);
    pass(2_000);
    expect(own.withinRunTime(5_000)).toBe(0);
    expect(own.overLimit()).toEqual({ reason: 'time', limitMs: 10_000 });
  });

  it('has all the time without limits', () => {
    const { account: own, pass } = account({ costUsd: null, timeMs: null, stepTimeMs: null });
    pass(1e9);
    expect(own.timeLeft()).toEqual({ step: null, run: null });
    expect(own.withinRunTime(5_000)).toBe(5_000);
    expect(own.overLimit()).toBeNull();
  });
});
