import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  actions,
  type Driven,
  drivenProject,
  isAlive,
  journal,
  logFolder,
  named,
  prompts,
  runId,
  START,
  stopOf,
  template,
  TWO_STEPS,
} from '../support/driven.ts';
import { onlyRun } from '../support/state.ts';

const LOGS = 'untracked/workflow-logs';
/** Fills the disk of the logs to its last byte; the failure is the purpose. */
const FILL = `cat /dev/zero > ${LOGS}/filler 2> /dev/null; true`;

const mount = (folder: string): boolean =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=200k', 'tmpfs', folder], {
    stdio: 'ignore',
  }).status === 0;
const unmount = (folder: string): void => {
  spawnSync('umount', ['-l', folder], { stdio: 'ignore' });
};

/** Only root may mount. */
function canMountHere(): boolean {
  if (process.platform !== 'linux') return false;
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-mount-'));
  const isMounted = mount(folder);
  if (isMounted) unmount(folder);
  rmSync(folder, { recursive: true });
  return isMounted;
}

function withSmallDisk({ root }: Driven): void {
  mkdirSync(join(root, LOGS), { recursive: true });
  if (!mount(join(root, LOGS))) throw new Error('nothing was mounted');
  onTestFinished(() => unmount(join(root, LOGS)));
}

function fill({ root }: Driven): void {
  spawnSync('sh', ['-c', FILL], { cwd: root, stdio: 'ignore' });
}

function empty({ root }: Driven): void {
  rmSync(join(root, LOGS, 'filler'));
}

describe('trouble of a driven run', () => {
  const canMount = canMountHere();
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
    const result = box.drive([...START, '--json'], {
      env: { HOLDFAST_RUN_TIMING: '5,60000' },
    });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(named(box, result, 'retry')).toMatchObject(
      troubles.map(([, text]) => ({ message: expect.stringContaining(text) })),
    );
    expect(
      new Set(box.calls('prompt').map(({ session }) => session)).size,
    ).toBe(1);
    expect(prompts(box)).toEqual([
      'plan',
      'plan',
      'plan',
      'plan',
      'plan',
      'ship',
    ]);
  });

  it('that lasts stops the run, which can go on', () => {
    const box = drivenProject(TWO_STEPS);
    box.script(Array.from({ length: 9 }, () => failed(500, 'API Error: 500')));
    const result = box.drive(START, {
      code: 1,
      env: { HOLDFAST_RUN_TIMING: '1,60000' },
    });
    expect(result.stderr).toContain(
      'the API is failing, 9 times in a row: API Error: 500',
    );
    expect(result.stderr).toContain('wait some minutes');
    expect(onlyRun(box.root)).toMatchObject({ status: 'in_progress' });
    box.drive([runId(box)]);
  });

  it('with the login stops at once', () => {
    const box = drivenProject(TWO_STEPS);
    box.script([failed(401, 'Failed to authenticate. API Error: 401')]);
    expect(box.stop(START, 1)).toMatchObject({
      reason: 'authentication',
      message: expect.stringContaining('not logged in'),
      hint: expect.stringContaining('/login'),
    });
    expect(box.calls('prompt')).toHaveLength(1);
  });

  it('with a usage limit stops, and waits for its reset with --wait-limits', () => {
    const box = drivenProject(TWO_STEPS);
    const resetsAt = Math.floor(Date.now() / 1000);
    const limited = [
      { limit: resetsAt },
      ...failed(429, "You've hit your limit"),
    ];
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
    box.script([
      [{ kill: 'SIGKILL' }],
      [{ exit: 1, words: 'something broke' }],
    ]);
    const result = box.drive([...START, '--json']);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    const [first, second, third] = box
      .calls('start')
      .map(({ args = [] }) => args);
    expect(first).toContain('--session-id');
    expect(second).toContain('--resume');
    expect(third).toContain('--resume');
    expect(
      named(box, result, 'retry').map((event) => event['message']),
    ).toEqual([
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
    const result = box.drive([...START, '--json'], {
      env: { HOLDFAST_RUN_TIMING: '20,5000' },
    });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(named(box, result, 'retry')).toMatchObject([{ why: 'silence' }]);
  });

  it.each([0, 2_200])(
    'with a conversation that is gone begins a new one (%d ms)',
    (delay) => {
      const box = drivenProject(TWO_STEPS);
      box.drive([...START, '--step']);
      writeFileSync(join(box.fake, 'slow-start'), String(delay));
      for (const name of readdirSync(box.fake).filter((entry) =>
        entry.startsWith('session-'),
      ))
        rmSync(join(box.fake, name));
      const result = box.drive([runId(box), '--json']);
      expect(result).toMatchObject({ code: 0, stderr: '' });
      expect(named(box, result, 'retry')).toEqual([]);
      expect(
        new Set(box.calls('prompt').map(({ session }) => session)).size,
      ).toBe(2);
    },
  );

  it('with a compaction that does not happen begins a fresh conversation', () => {
    const box = drivenProject(
      template(actions('plan', 'ship context: compact')),
    );
    writeFileSync(join(box.fake, 'no-compact'), '');
    const result = box.drive([...START, '--json']);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(named(box, result, 'compaction_failed')).toMatchObject([
      { reason: 'Not enough messages to compact.' },
    ]);
    expect(
      new Set(box.calls('prompt').map(({ session }) => session)).size,
    ).toBe(2);
  });

  it('with unknown, cut and binary lines in the stream is no trouble', () => {
    const box = drivenProject(TWO_STEPS);
    box.script([
      [
        {
          line: '{"type":"of_the_future","x":[1,2]}\n{"no":"type"}\nplain words\n\n{"type":"assistant","mess',
        },
        { line: 'age":null}\n\u0000\u0001\n[1,2]\n"text"\nnull\n' },
        { run: 'holdfast advance' },
      ],
    ]);
    expect(box.drive(START)).toMatchObject({ code: 0, stderr: '' });
  });

  it('is an unknown cost, which is said to be unknown', () => {
    const box = drivenProject(TWO_STEPS);
    box.script([
      [{ run: 'holdfast advance' }, { result: { total_cost_usd: null } }],
    ]);
    const result = box.drive(START);
    expect(result.stdout).toMatch(/step 1 of 2 \(plan\): .*cost unknown/);
    expect(result.stdout).toMatch(/in all: .*cost unknown/);
  });

  it.runIf(canMount)(
    'with a disk for the logs that is full from the start stops before a client starts',
    () => {
      const box = drivenProject(TWO_STEPS);
      withSmallDisk(box);
      box.run(['start', ...START]);
      fill(box);
      const result = box.drive(['release'], { code: 1 });
      expect(result.stderr).toContain('untracked/workflow-logs');
      expect(box.calls('start')).toEqual([]);
      empty(box);
      expect(box.drive(['release'])).toMatchObject({ code: 0, stderr: '' });
    },
  );

  it.runIf(canMount).each([
    ['a client that ends', [{ line: `${'x'.repeat(20_000)}\n` }]],
    ['a client that hangs', [{ sleep: 600_000 }]],
  ])(
    'with a disk for the logs that fills up under %s stops once, and nothing is lost',
    (_name, then) => {
      const box = drivenProject(TWO_STEPS);
      withSmallDisk(box);
      box.script([
        [{ run: 'echo plan >> work; holdfast advance' }],
        [{ run: FILL }, ...then],
      ]);
      // A driver that cannot write its record leaves it as it is, and the next one sees that its process has ended.
      const result = box.drive(START, { code: 1, ownProcess: true });
      expect(result.stderr.match(/cannot be written \(ENOSPC\)/g)).toHaveLength(
        1,
      );
      expect(result.stderr).toContain('free some space');
      expect(result.stderr.trim().split('\n')).toHaveLength(1);
      expect(onlyRun(box.root)).toMatchObject({
        status: 'in_progress',
        machine: { step: 'ship' },
      });
      for (const { pid = 0 } of box.calls('start'))
        expect(isAlive(pid)).toBe(false);
      empty(box);
      expect(box.drive([onlyRun(box.root).run_id ?? ''])).toMatchObject({
        code: 0,
        stderr: '',
      });
      expect(
        journal(box).filter(({ event }) => event === 'advanced'),
      ).toHaveLength(2);
      expect(readFileSync(join(box.root, 'work'), 'utf8')).toBe('plan\n');
      const events = readFileSync(join(logFolder(box), 'events.jsonl'), 'utf8')
        .trim()
        .split('\n');
      expect(events.at(-1)).toContain('"reason":"done"');
    },
  );
});

describe('the cost of a resumed conversation', () => {
  /** The second turn is the answer to being asked once more, in a client that resumes the conversation. */
  function driveResumed(...settings: string[]) {
    const box = drivenProject(TWO_STEPS);
    for (const name of settings) writeFileSync(join(box.fake, name), '');
    box.script([[]]);
    const result = box.drive([...START, '--json']);
    expect(
      named(box, result, 'session').map((session) => session['kind']),
    ).toContain('resumed');
    return Object(stopOf(box, result)?.['usage']);
  }

  it.each([
    ['begins anew', []],
    ['goes on', ['goes-on-counting']],
  ])(
    'each turn is counted once if the client %s counting after a resume',
    (_how, settings) => {
      const { turns, cost_usd: cost } = driveResumed(...settings);
      expect(turns).toBe(3);
      expect(cost).toBeCloseTo(0.03);
    },
  );

  it('is unknown if the client does not say what the conversation has cost before', () => {
    expect(driveResumed('goes-on-counting', 'says-no-cost')).toMatchObject({
      cost_usd: null,
    });
  });
});
