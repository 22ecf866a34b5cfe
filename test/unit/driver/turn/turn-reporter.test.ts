import { describe, expect, it } from 'vitest';
import type { DriverEvent } from '../../../../src/driver/events.ts';
import { noEvidence } from '../../../../src/driver/turn/turn-evidence.ts';
import { TurnReporter } from '../../../../src/driver/turn/turn-reporter.ts';

const USAGE = { turns: 1, tokens: 2, cost_usd: 0, seconds: 3 };

function reporter(environment: Record<string, string> = {}) {
  const events: DriverEvent[] = [];
  const emit = (event: DriverEvent): void => void events.push(event);
  return { own: new TurnReporter({ emit, root: '/project', setup: { environment } }), events };
}

const usage = (message: string, input: number) =>
  ({
    kind: 'usage',
    message,
    usage: { input, output: 10, cacheRead: 0, cacheWrite: 0 },
    model: null,
  }) as const;

describe('what a client does', () => {
  it('is told once for each message, in tokens of the turn', () => {
    const { own, events } = reporter();
    own.beginTurn();
    own.show(usage('a', 100));
    own.show(usage('a', 100));
    own.show(usage('b', 200));
    own.beginTurn();
    own.show(usage('c', 50));
    expect(events).toEqual([
      { event: 'tokens', tokens: 110, context_percent: null },
      { event: 'tokens', tokens: 320, context_percent: null },
      { event: 'tokens', tokens: 60, context_percent: null },
    ]);
  });

  it('names the file of a tool within the project', () => {
    const { own, events } = reporter();
    const input = { file_path: '/project/src/a.ts' };
    own.show({ kind: 'tool', name: 'Read', input, isOfSubAgent: false });
    expect(events).toMatchObject([{ event: 'activity', tool: 'Read', target: 'src/a.ts' }]);
  });

  it('fills the context by the window of the model, or the smaller one that the user chose', () => {
    for (const [environment, percent] of [
      [{}, 50],
      [{ CLAUDE_CODE_AUTO_COMPACT_WINDOW: '116500' }, 100],
    ] as const) {
      const { own, events } = reporter(environment);
      own.endTurn({ ...noEvidence(), contextWindow: 200_000 });
      own.report('plan', { kind: 'moved' }, { ...noEvidence(), contextTokens: 83_500 }, USAGE);
      expect(events).toEqual([
        { event: 'turn', step: 'plan', result: 'moved', usage: USAGE, context_percent: percent },
      ]);
    }
  });
});
