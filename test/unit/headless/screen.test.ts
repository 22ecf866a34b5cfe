import { describe, expect, it } from 'vitest';
import type { DriverEvent } from '../../../src/headless/context.ts';
import type { RunEvent } from '../../../src/headless/event-types.generated.ts';
import {
  eventLine,
  frameLines,
  NO_VIEW,
  Redrawn,
  withEvent,
  type RunView,
} from '../../../src/headless/screen.ts';
import type { StopReason } from '../../../src/headless/stop.ts';
import { widthOf } from '../../../src/util/terminal-width.ts';
import type { PhaseState } from '../../../src/workflow/run-view.ts';

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
  id: string,
  number: number,
  { detail = '', attempt = 1, states = statesAt(number) } = {},
): DriverEvent => ({
  event: 'step',
  step: id,
  label: `step ${number} of 3 (${id})${detail === '' ? '' : `, ${detail}`}`,
  number,
  total: 3,
  attempt,
  states,
});

const ended = (id: string, outcome: 'finished' | 'failed' = 'finished'): DriverEvent => ({
  event: 'step_ended',
  summary: {
    step: id,
    label: id,
    outcome,
    turns: 2,
    tokens: 1_500,
    cost_usd: 0.25,
    seconds: 61,
  },
});

const frame = (view: RunView, columns = 80, rows = 24): string[] =>
  frameLines(view, START + 120_000, { columns, rows }, COLORS);

describe('an event in one line', () => {
  it.each<[DriverEvent, string | null]>([
    [started(['plan']), 'driving Release (1 step), log in log'],
    [{ event: 'took_over', pid: 7 }, 'took over from process 7, which no longer runs'],
    [step('plan', 1, { attempt: 2 }), 'step 1 of 3 (plan), try 2'],
    [
      { event: 'session', session: '0123456789', kind: 'fresh', agent: 'a', stream: 's' },
      '  fresh session 01234567 as a',
    ],
    [{ event: 'activity', tool: 'Task', target: '', sub_agent: true }, '    Task'],
    [
      { event: 'gate', step: 'a', result: 'timed_out', command: 'x\ny', output: '' },
      '  the gate `x y` ran out of time',
    ],
    [
      { event: 'retry', why: 'crash', message: 'a\nb', wait_seconds: 90, attempt: 1 },
      '  a b; trying again in 1 min 30 s',
    ],
    [ended('plan'), '  ✓ plan: 1 min 1 s, 2 turns, 1.5k tokens, $0.2500'],
    [{ event: 'tokens', tokens: 1, context_percent: null }, null],
  ])('%j', (event, line) => {
    expect(eventLine(event)).toBe(line);
  });
});

describe('the frame of a driven run', () => {
  const view = after(
    started(['plan', 'build', 'ship']),
    step('plan', 1),
    ended('plan'),
    step('build', 2, { detail: 'iteration 2 of 5', attempt: 2 }),
    { event: 'activity', tool: 'Edit', target: 'src/cart.ts', sub_agent: false },
    { event: 'tokens', tokens: 500, context_percent: 12 },
  );

  it('shows the steps, what the agent does, time, turns, tokens, cost and fill', () => {
    expect(frame(view)).toEqual([
      'Release (release-1)',
      '2 min · 2 turns · 2.0k tokens · $0.2500 · context 12 %',
      '✓ plan',
      expect.stringMatching(/^▸ build: iteration 2 of 5, try 2 {20,}1 min 57 s$/),
      '    Edit src/cart.ts',
      '· ship',
      'Ctrl-C interrupts; `holdfast run release-1` continues',
    ]);
  });

  it.each([20, 40, 80, 200])('fits into %d columns, whatever is in it', (columns) => {
    const wide = after(
      started(['日本語'.repeat(40), 'x'.repeat(300), '🚀'.repeat(60)]),
      step('x', 2, { detail: 'y'.repeat(300) }),
      { event: 'activity', tool: 'Bash', target: '漢'.repeat(100), sub_agent: false },
      { event: 'retry', why: 'overloaded', message: 'z'.repeat(300), wait_seconds: 5, attempt: 1 },
    );
    for (const line of [...frame(wide, columns), ...frame(view, columns)])
      expect(widthOf(line)).toBeLessThan(columns);
  });

  it.each([3, 8, 12, 24])('fits into %d rows, with the current step in sight', (rows) => {
    const ids = Array.from({ length: 100 }, (_, n) => `step-${n + 1}`);
    const lines = frame(after(started(ids), step('step-50', 50)), 80, rows);
    expect(lines.length).toBeLessThan(rows);
    if (rows > 8) expect(lines.some((line) => line.startsWith('▸ step-50'))).toBe(true);
  });

  it('says that a cost is unknown, and shows a step that was done again as current', () => {
    const unknown: DriverEvent = {
      event: 'turn',
      step: 'build',
      result: 'ask_again',
      usage: { turns: 1, tokens: 0, cost_usd: null, seconds: 1 },
      context_percent: null,
    };
    const back = withEvent(view, { at: new Date(START).toISOString(), run: 'r', ...unknown });
    expect(frame(back)[1]).toContain('cost unknown');
    const again = after(started(['plan', 'build', 'ship']), step('build', 2), step('plan', 1));
    expect(
      frame(again)
        .filter((line) => /^[✓▸·]/.test(line))
        .map((line) => line.slice(0, 3)),
    ).toEqual(['▸ p', '· b', '· s']);
  });

  const stopped = (reason: StopReason, states: PhaseState[]): DriverEvent => ({
    event: 'stopped',
    reason,
    exit_code: 0,
    message: '',
    hint: '',
    usage: { turns: 0, tokens: 0, cost_usd: 0, seconds: 0 },
    steps: [],
    states,
    log: 'log',
  });
  const marks = (shown: RunView): string[] =>
    frame(shown)
      .filter((line) => /^[✓▸·↷–✗]/u.test(line))
      .map((line) => line.slice(0, 3));

  it('shows steps that were skipped or passed by as such, while the run goes on and at its end', () => {
    const states: PhaseState[] = ['skipped', 'passed', 'current'];
    const going = after(started(['plan', 'build', 'ship']), step('ship', 3, { states }));
    expect(marks(going)).toEqual(['↷ p', '– b', '▸ s']);
    const end = stopped('done', ['skipped', 'passed', 'done']);
    const done = withEvent(going, { at: new Date(START).toISOString(), run: 'r', ...end });
    expect(marks(done)).toEqual(['↷ p', '– b', '✓ s']);
  });

  it('shows at a stop which step waits, and which has failed', () => {
    const ids = ['plan', 'build', 'ship'];
    const begun = [started(ids), step('plan', 1)];
    const approval = after(...begun, ended('plan'), stopped('approval', statesAt(2)));
    expect(marks(approval)).toEqual(['✓ p', '▸ b', '· s']);
    const busy: DriverEvent = { event: 'activity', tool: 'Edit', target: 'a.ts', sub_agent: false };
    const late = after(
      started(ids),
      step('plan', 1, { detail: 'iteration 2 of 2' }),
      busy,
      ended('plan'),
      stopped('approval', statesAt(2)),
    );
    expect(frame(late)).toEqual([
      'Release (release-1)',
      expect.any(String),
      '✓ plan',
      expect.stringMatching(/^▸ build {2,}/),
      '· ship',
    ]);
    expect(marks(after(...begun, stopped('gone', [])))).toEqual(['▸ p', '· b', '· s']);
  });
});

describe('a frame on a terminal', () => {
  it('is overwritten in place, without clearing what stays', () => {
    const written: string[] = [];
    const screen = new Redrawn((text) => written.push(text));
    screen.draw(['one', 'two', 'three']);
    screen.draw(['one', 'TWO']);
    expect(written[1]).toContain('\r\u001B[2A');
    expect(written[1]).not.toContain('\u001B[2J');
    expect(written[1]).toMatch(/one\u001B\[K\r\nTWO\u001B\[K\u001B\[J/);
    screen.clear();
    screen.draw(['one']);
    expect(written[2]).toContain('\u001B[2J');
    screen.close();
    expect(written.at(-1)).toContain('\u001B[?25h');
    screen.draw(['late']);
    expect(written.join('')).not.toContain('late');
  });
});
