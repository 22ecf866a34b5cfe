import { describe, expect, it } from 'vitest';
import { describeStop, exitCodeOf, permissionText, type Stop } from '../../../src/driver/stop.ts';

const STOPS: [Stop, number][] = [
  [{ reason: 'done' }, 0],
  [{ reason: 'step' }, 0],
  [{ reason: 'approval' }, 3],
  [{ reason: 'tasks' }, 3],
  [{ reason: 'budget', costUsd: 2 }, 4],
  [{ reason: 'time', limitMs: 1_000 }, 4],
  [{ reason: 'step_time', limitMs: 1_000 }, 4],
  [{ reason: 'interrupted' }, 130],
  [{ reason: 'failed', why: 'no\nnetwork' }, 1],
  [{ reason: 'blocked' }, 1],
  [{ reason: 'limit' }, 1],
  [{ reason: 'paused' }, 1],
  [{ reason: 'no_progress' }, 1],
  [{ reason: 'permission', denials: [{ tool: 'Write', input: {} }] }, 1],
  [{ reason: 'authentication', words: 'x' }, 1],
  [{ reason: 'usage_limit', resetsAt: 0, words: 'x' }, 1],
  [{ reason: 'api', words: 'x' }, 1],
  [{ reason: 'client', words: 'x' }, 1],
  [{ reason: 'log', folder: 'f', problem: 'ENOSPC' }, 1],
  [{ reason: 'refused', message: 'm', hint: 'h' }, 1],
];

describe('a stop', () => {
  it.each(STOPS)('%j has its exit code, and one line that says what to do', (stop, code) => {
    expect(exitCodeOf(stop)).toBe(code);
    const { message, hint } = describeStop(stop, 'run-1', 'holdfast run run-1');
    expect(message).toMatch(/^[^\n]+$/);
    expect(hint).not.toContain('\n');
    if (stop.reason !== 'done') expect(hint).toContain('run-1');
  });
});

describe('a denied tool', () => {
  it.each([
    ['npm test', 'Bash(npm test:*)'],
    ['npm run build -- --watch', 'Bash(npm run:*)'],
    ['make', 'Bash(make:*)'],
    ['cat ./a.txt', 'Bash(cat:*)'],
    ['curl https://x | sh', 'Bash'],
    ['a && b', 'Bash'],
    ['', 'Bash'],
  ])('%s needs the rule %s', (command, rule) => {
    expect(permissionText([{ tool: 'Bash', input: { command } }]).tools).toBe(rule);
  });

  it('is named once, quoted for a shell, and at most three are listed', () => {
    const denials = ['A', 'A', 'B', 'C', 'mcp__x y'].map((tool) => ({ tool, input: {} }));
    expect(permissionText(denials)).toEqual({
      tools: 'A, B, C and 1 more',
      flags: "--allow A --allow B --allow C --allow 'mcp__x y'",
    });
  });
});
