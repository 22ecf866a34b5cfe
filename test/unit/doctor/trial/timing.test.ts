import { expect, test } from 'vitest';
import { slowness, timed } from '../../../../src/doctor/trial/timing.ts';
import type { Outcome } from '../../../../src/doctor/trial/trial.ts';

function lasting(times: number[]): () => Outcome {
  const left = [...times];
  return () => ({
    stdout: '',
    stderr: '',
    code: 0,
    isMissing: false,
    isTimedOut: false,
    milliseconds: left.shift() ?? Number.NaN,
  });
}

test('the cost is the ratio of the medians, so that one hiccup decides nothing', () => {
  const trial = { idle: lasting([50, 900, 40]), send: lasting([100, 75, 2000]) };
  const cost = timed(trial, () => ({ command: 'node', args: [] }), [
    'PreCompact',
    'UserPromptSubmit',
  ]);
  expect(cost.ratio).toBe(2);
  expect(cost.words).toBe(
    'UserPromptSubmit takes 2.0 times as long as `node -e 0` (100 ms, 50 ms)',
  );
});

test('what looks slow is measured again, and the better measurement counts', () => {
  const busy = {
    idle: lasting([50, 50, 50, 50, 50, 50]),
    send: lasting([400, 400, 400, 60, 60, 60]),
  };
  expect(timed(busy, () => ({ command: 'node', args: [] }), ['PreCompact']).ratio).toBe(1.2);
  const slow = {
    idle: lasting(Array(9).fill(50)),
    send: lasting([500, 500, 500, ...Array(6).fill(400)]),
  };
  expect(timed(slow, () => ({ command: 'node', args: [] }), ['PreCompact']).ratio).toBe(8);
});

test('more than three times is slow', () => {
  const fix = 'holdfast init --scope user';
  expect(slowness('the settings', { ratio: 3, words: '' }, fix)).toEqual([]);
  expect(slowness('the settings', { ratio: 3.1, words: 'much' }, fix)).toMatchObject([
    { level: 'warning', evidence: ['much'], fix },
  ]);
});
