import { describe, expect, it } from 'vitest';
import { describeStop, exitCodeOf, type Stop } from '../../../src/headless/stop.ts';

const PLACE = {
  runId: 'run-1',
  next: 'holdfast run run-1',
  options: { maxCost: 2, maxTime: 1_000, stepTime: 1_000, allow: [] },
  log: { folder: 'f', problem: 'ENOSPC' },
};

const STOPS: [Stop, number][] = [
  [{ reason: 'done' }, 0],
  [{ reason: 'step' }, 0],
  [{ reason: 'approval', canReject: true }, 3],
  [{ reason: 'approval', canReject: false }, 3],
  [{ reason: 'tasks', loop: 'build it' }, 3],
  [{ reason: 'budget' }, 4],
  [{ reason: 'time' }, 4],
  [{ reason: 'step_time' }, 4],
  [{ reason: 'interrupted' }, 130],
  [{ reason: 'failed', why: 'no\nnetwork' }, 1],
  [{ reason: 'blocked' }, 1],
  [{ reason: 'limit', limit: 'retries', allowed: 3, label: 'step 1 of 2 (a)', why: 'x\ny' }, 1],
  [{ reason: 'limit', limit: 'pivots', allowed: 1, label: 'step 1 of 2 (a)', why: '' }, 1],
  [{ reason: 'paused' }, 1],
  [{ reason: 'no_progress' }, 1],
  [{ reason: 'permission', denials: [{ tool: 'Write', input: {} }] }, 1],
  [{ reason: 'authentication', status: 401, words: 'x' }, 1],
  [{ reason: 'usage_limit', resetsAt: 0, words: 'x' }, 1],
  [{ reason: 'api', status: 500, words: 'x', tries: 7 }, 1],
  [{ reason: 'client', words: 'x' }, 1],
  [{ reason: 'log' }, 1],
  [{ reason: 'refused', message: 'm', hint: 'h' }, 1],
  [{ reason: 'ended', label: 'step 1 of 2 (a)', session: undefined }, 1],
  [{ reason: 'cancelled', why: 'not\nneeded' }, 1],
  [{ reason: 'gone', path: 'f' }, 1],
  [{ reason: 'taken', session: 's' }, 1],
];

describe('a stop', () => {
  it.each(STOPS)('%j has its exit code, and one line that says what to do', (stop, code) => {
    expect(exitCodeOf(stop)).toBe(code);
    const [message, hint] = describeStop(stop, PLACE);
    expect(message).toMatch(/^[^\n]+$/);
    expect(hint).not.toContain('\n');
    if (stop.reason !== 'done') expect(hint).toContain('run-1');
  });
});

describe('a request that failed', () => {
  it.each([
    [429, 'Request rejected (429)', 'limits how many requests', 'wait some minutes'],
    [529, '529 Overloaded', 'is failing', 'status.claude.com'],
    [500, '500 Internal server error', 'is failing', 'status.claude.com'],
    [null, 'Connection refused (ECONNREFUSED)', 'cannot be reached', 'ANTHROPIC_BASE_URL'],
    [404, 'an issue with the selected model', 'the model does not exist', '--model'],
    [413, 'Request too large', 'too large for a request', 'context: clear'],
    [400, 'API Error: 400 bad', 'refused the request', 'correct what it says'],
  ])('with status %s, "%s" says what happened and what to do', (status, words, what, advice) => {
    const [message, hint] = describeStop({ reason: 'api', status, words, tries: 7 }, PLACE);
    expect(message).toContain(what);
    expect(message).toContain('7 times in a row');
    expect(message).toContain(words);
    expect(hint).toContain(advice);
    expect(hint).toContain('then `holdfast run run-1` continues the run');
  });

  it.each([
    [401, 'its key is not accepted', '/login'],
    [403, 'may not use this API or model', '--model'],
    [null, 'is not logged in: x', '/login'],
  ])('for the login, with status %s', (status, what, advice) => {
    const [message, hint] = describeStop({ reason: 'authentication', status, words: 'x' }, PLACE);
    expect(message).toContain(what);
    expect(hint).toContain(advice);
  });
});
