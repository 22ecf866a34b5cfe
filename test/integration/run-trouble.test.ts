import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  actions,
  drivenProject,
  named,
  prompts,
  runId,
  START,
  stopOf,
  template,
  TWO_STEPS,
} from '../support/driven.ts';
import { onlyRun } from '../support/state.ts';

describe('trouble of a driven run', () => {
  const failed = (status: number | null, result: string) => [
    { result: { is_error: true, api_error_status: status, result } },
  ];

  it('with the API is retried in the same session, whatever its status', () => {
    const box = drivenProject(TWO_STEPS);
    const troubles = [
      [529, 'API Error: 529 Overloaded'],
      [429, 'API Error: Request rejected (429)'],
      [500, 'API Error: 500 Internal server error'],
      [null, 'API Error: Connection refused'],
    ] as const;
    box.script(troubles.map(([status, text]) => failed(status, text)));
    const result = box.drive([...START, '--json'], { env: { HOLDFAST_RUN_TIMING: '5,60000' } });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(named(box, result, 'retry')).toMatchObject(
      troubles.map(([, text]) => ({ message: expect.stringContaining(text) })),
    );
    expect(new Set(box.calls('prompt').map(({ session }) => session)).size).toBe(1);
    expect(prompts(box)).toEqual(['plan', 'plan', 'plan', 'plan', 'plan', 'ship']);
  });

  it('that lasts stops the run, which can go on', () => {
    const box = drivenProject(TWO_STEPS);
    box.script(Array.from({ length: 7 }, () => failed(500, 'API Error: 500')));
    const result = box.drive(START, { code: 1, env: { HOLDFAST_RUN_TIMING: '1,60000' } });
    expect(result.stderr).toContain('the API is failing, 7 times in a row: API Error: 500');
    expect(result.stderr).toContain('wait some minutes');
    expect(onlyRun(box.root)).toMatchObject({ status: 'in_progress' });
    box.drive([runId(box)]);
  });

  it('with a usage limit stops, and waits for its reset with --wait-limits', () => {
    const box = drivenProject(TWO_STEPS);
    const resetsAt = Math.floor(Date.now() / 1000);
    const limited = [{ limit: resetsAt }, ...failed(429, "You've hit your limit")];
    box.script([limited, limited]);
    expect(box.stop(START, 1)).toMatchObject({
      reason: 'usage_limit',
      message: expect.stringContaining(new Date(resetsAt * 1000).toISOString()),
      hint: expect.stringContaining('--wait-limits'),
    });
    const second = box.drive([runId(box), '--wait-limits', '--json']);
    expect(second).toMatchObject({ code: 0, stderr: '' });
    expect(named(box, second, 'waiting_for_reset')).toHaveLength(1);
  });

  it('with a client that dies is followed by a client that goes on in the same session', () => {
    const box = drivenProject(TWO_STEPS);
    box.script([[{ kill: 'SIGKILL' }], [{ exit: 1, words: 'something broke' }]]);
    const result = box.drive([...START, '--json']);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    const [first, second, third] = box.calls('start').map(({ args = [] }) => args);
    expect(first).toContain('--session-id');
    expect(second).toContain('--resume');
    expect(third).toContain('--resume');
    expect(named(box, result, 'retry').map((event) => event['message'])).toEqual([
      'Claude Code was ended by SIGKILL',
      'Claude Code exited with 1: something broke',
    ]);
  });

  it('with a client that keeps dying stops the run', () => {
    const box = drivenProject(TWO_STEPS);
    box.script(Array.from({ length: 9 }, () => [{ exit: 3 }]));
    expect(box.stop(START, 1)).toMatchObject({ reason: 'client' });
    expect(box.calls('start')).toHaveLength(4);
  });

  it('with a client that hangs ends its turn and tries again', () => {
    const box = drivenProject(TWO_STEPS);
    box.script([[{ sleep: 600_000 }]]);
    const result = box.drive([...START, '--json'], { env: { HOLDFAST_RUN_TIMING: '20,5000' } });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(named(box, result, 'retry')).toMatchObject([{ why: 'silence' }]);
  });

  it('with a conversation that is gone begins a new one', () => {
    const box = drivenProject(TWO_STEPS);
    box.drive([...START, '--step']);
    for (const name of readdirSync(box.fake).filter((entry) => entry.startsWith('session-')))
      rmSync(join(box.fake, name));
    const result = box.drive([runId(box), '--json']);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(named(box, result, 'retry')).toEqual([]);
    expect(new Set(box.calls('prompt').map(({ session }) => session)).size).toBe(2);
  });

  it('with a compaction that does not happen begins a fresh conversation', () => {
    const box = drivenProject(template(actions('plan', 'ship context: compact')));
    writeFileSync(join(box.fake, 'no-compact'), '');
    const result = box.drive([...START, '--json']);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(named(box, result, 'compaction_failed')).toMatchObject([
      { reason: 'Not enough messages to compact.' },
    ]);
    expect(new Set(box.calls('prompt').map(({ session }) => session)).size).toBe(2);
  });

  it('is an unknown cost, which is said to be unknown', () => {
    const box = drivenProject(TWO_STEPS);
    box.script([[{ run: 'holdfast advance' }, { result: { total_cost_usd: null } }]]);
    const result = box.drive(START);
    expect(result.stdout).toMatch(/step 1 of 2 \(plan\): .*cost unknown/);
    expect(result.stdout).toMatch(/in all: .*cost unknown/);
  });
});

describe('the cost of a resumed conversation', () => {
  /** The second turn is the answer to being asked once more, in a client that resumes the conversation. */
  function driveResumed(...settings: string[]) {
    const box = drivenProject(TWO_STEPS);
    for (const name of settings) writeFileSync(join(box.fake, name), '');
    box.script([[]]);
    const result = box.drive([...START, '--json']);
    expect(named(box, result, 'session').map((session) => session['kind'])).toContain('resumed');
    return Object(stopOf(box, result)?.['usage']);
  }

  it.each([
    ['begins anew', []],
    ['goes on', ['goes-on-counting']],
  ])('each turn is counted once if the client %s counting after a resume', (_how, settings) => {
    const { turns, cost_usd: cost } = driveResumed(...settings);
    expect(turns).toBe(3);
    expect(cost).toBeCloseTo(0.03);
  });

  it('is unknown if the client does not say what the conversation has cost before', () => {
    expect(driveResumed('goes-on-counting', 'says-no-cost')).toMatchObject({ cost_usd: null });
  });
});
