import { describe, expect, it } from 'vitest';
import type { DriverEvent } from '../../../src/headless/setup.ts';
import type { RunEvent } from '../../../src/headless/event-types.generated.ts';
import { eventLine } from '../../../src/headless/event-line.ts';
import {
  frameLines,
  NO_VIEW,
  withEvent,
  type RunView,
} from '../../../src/headless/screen.ts';
import { widthOf } from '../../../src/text/terminal-width.ts';
import type { PhaseState } from '../../../src/state/progress.ts';

const START = Date.parse('2025-01-01T00:00:00.000Z');
const plain = (text: string): string => text;
const COLORS = { bold: plain, dim: plain, green: plain };

const after = (...events: DriverEvent[]): RunView =>
  events.reduce((view: RunView, event, index) => {
    const at = new Date(START + index * 1_000).toISOString();
    const stamped: RunEvent = { at, run: 'release-1', ...event };
    return withEvent(view, stamped);
  }, NO_VIEW);

const started = (ids: string[]): DriverEvent => ({
  event: 'started',
  workflow: 'Release',
  template: 'Release',
  client: '2.1.325',
  steps: ids.map((id) => ({ id, title: id, state: 'open' })),
  log: 'log',
});

/** Of a hundred steps: more than there are. */
const statesAt = (number: number): PhaseState[] =>
  Array.from({ length: 100 }, (_, index) =>
    index + 1 < number ? 'done' : index + 1 === number ? 'current' : 'open',
  );

const step = (
  number: number,
  { detail = '', states = statesAt(number) } = {},
): DriverEvent => ({
  event: 'step',
  step: 'a',
  label: `step ${number} of 3 (a)${detail}`,
  number,
  total: 3,
  attempt: 2,
  states,
});

const USAGE = { turns: 2, tokens: 1_500, cost_usd: 0.25, seconds: 61 };
const ENDED: DriverEvent = {
  event: 'step_ended',
  summary: { step: 'plan', label: 'plan', outcome: 'finished', ...USAGE },
};
const EDIT: DriverEvent = {
  event: 'activity',
  tool: 'Edit',
  target: 'a.ts',
  sub_agent: false,
};

const frame = (view: RunView, columns = 80, rows = 24): string[] =>
  frameLines(view, START + 120_000, { columns, rows }, COLORS);

describe('an event in one line', () => {
  it.each<[DriverEvent, string | null]>([
    [started(['plan']), 'driving Release (1 step), log in log'],
    [
      { event: 'activity', tool: 'Task', target: '', sub_agent: true },
      '    Task',
    ],
    [
      {
        event: 'gate',
        step: 'a',
        result: 'timed_out',
        command: 'x\ny',
        output: '',
      },
      '  the gate "x y" ran out of time',
    ],
    [
      {
        event: 'retry',
        why: 'crash',
        message: 'a\nb',
        wait_seconds: 90,
        attempt: 1,
      },
      '  a b; trying again in 1 min 30 s',
    ],
    [ENDED, '  ✓ plan: 1 min 1 s, 2 turns, 1.5k tokens, $0.2500'],
    [{ event: 'tokens', tokens: 1, context_percent: null }, null],
  ])('%j', (event, line) => {
    expect(eventLine(event)).toBe(line);
  });
});

describe('the frame of a driven run', () => {
  const begun = [started(['plan', 'build', 'ship']), step(1), EDIT, ENDED];
  const view = after(
    ...begun,
    step(2, { detail: ', iteration 2 of 5' }),
    EDIT,
    {
      event: 'tokens',
      tokens: 500,
      context_percent: 12,
    },
  );

  it('shows the steps, what the agent does, time, turns, tokens, cost and fill', () => {
    expect(frame(view)).toEqual([
      'Release (release-1)',
      '2 min · 2 turns · 2.0k tokens · $0.2500 · context 12 %',
      '✓ plan',
      expect.stringMatching(
        /^▸ build: iteration 2 of 5, try 2 {20,}1 min 56 s$/,
      ),
      '    Edit a.ts',
      '· ship',
      'Ctrl-C interrupts; `holdfast run release-1` continues',
    ]);
  });

  it.each([20, 40, 80, 200])(
    'fits into %d columns, whatever is in it',
    (columns) => {
      const wide = after(
        started(['日本語'.repeat(40), 'x'.repeat(300), '🚀'.repeat(60)]),
        step(2, { detail: `, ${'y'.repeat(300)}` }),
        {
          event: 'activity',
          tool: 'Bash',
          target: '漢'.repeat(100),
          sub_agent: false,
        },
      );
      for (const line of [...frame(wide, columns), ...frame(view, columns)])
        expect(widthOf(line)).toBeLessThan(columns);
    },
  );

  it('fits into the rows, with the current step in sight', () => {
    const ids = Array.from({ length: 100 }, (_, n) => `step-${n + 1}`);
    const lines = frame(after(started(ids), step(50)), 80, 12);
    expect(lines.length).toBeLessThan(12);
    expect(lines.some((line) => line.startsWith('▸ step-50'))).toBe(true);
  });

  const stopped = (states: PhaseState[]): DriverEvent => ({
    event: 'stopped',
    reason: 'done',
    exit_code: 0,
    message: '',
    hint: '',
    usage: USAGE,
    steps: [],
    states,
    log: 'log',
  });

  it.each<[string, DriverEvent[], string[]]>([
    ['a step that is done again', [step(2), step(1)], ['▸ p', '· b', '· s']],
    [
      'omissions',
      [step(3, { states: ['skipped', 'passed', 'current'] })],
      ['↷ p', '– b', '▸ s'],
    ],
    [
      'the step that waits at a stop',
      [stopped(statesAt(2))],
      ['✓ p', '▸ b', '· s'],
    ],
  ])('shows %s', (_name, events, marks) => {
    const lines = frame(after(...begun, ...events)).filter((line) =>
      /^[✓▸·↷–] /u.test(line),
    );
    expect(lines.map((line) => line.slice(0, 3))).toEqual(marks);
  });
});
