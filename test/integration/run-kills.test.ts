import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { sleep, withLock } from '../../src/files/lock.ts';
import {
  drivenProject,
  isAlive,
  journal,
  logFolder,
  named,
  prompts,
  runId,
  START,
  TWO_STEPS,
} from '../support/driven.ts';
import { PATIENCE } from '../support/patience.ts';
import { onlyRun } from '../support/state.ts';

describe('a client that is killed', () => {
  it('may leave a command that finishes a step while the next client starts', async () => {
    const box = drivenProject(TWO_STEPS);
    const command = `while [ ! -f ${box.fake}/go ]; do sleep 0.02; done; touch ${box.fake}/late; holdfast advance; echo exit $?`;
    box.script([
      [
        { run: `setsid sh -c '${command}' > ${box.fake}/late.txt 2>&1 &` },
        { kill: 'SIGKILL' },
      ],
    ]);
    const running = box.begin([...START, '--json'], {
      env: { HOLDFAST_RUN_TIMING: '100,60000' },
    });
    await running.says('"retry"');
    // The command and the next driver begin together, and either may get the lock first.
    withLock(join(box.root, 'untracked/workflow-state/.lock'), 5_000, () => {
      writeFileSync(join(box.fake, 'go'), '');
      for (
        let turn = 0;
        turn < 3_000 && !existsSync(join(box.fake, 'late'));
        turn += 1
      )
        sleep(20);
    });
    const result = await running.ended;
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect([...new Set(prompts(box))]).toEqual(['plan', 'ship']);
    expect(
      journal(box).filter(({ event }) => event === 'advanced'),
    ).toHaveLength(2);
    // A command that comes too late is refused, and then the next client is asked for its step again.
    const late = await vi.waitUntil(
      () =>
        /exit (\d)/.exec(readFileSync(join(box.fake, 'late.txt'), 'utf8'))?.[1],
      PATIENCE,
    );
    expect(prompts(box)).toHaveLength(late === '0' ? 2 : 3);
  });
});

describe('a driver that ends in the middle', () => {
  it('by Ctrl-C interrupts the turn, ends the client and says how to continue', async () => {
    const box = drivenProject(TWO_STEPS);
    box.script([[{ run: 'true' }, { sleep: 600_000 }]]);
    const running = box.begin(START);
    await running.says('Bash true');
    running.child.kill('SIGINT');
    const end = await running.ended;
    expect(end).toMatchObject({ code: 130 });
    expect(end.stderr).toContain(`holdfast run ${runId(box)}`);
    for (const { pid = 0 } of box.calls('start'))
      expect(isAlive(pid)).toBe(false);
    expect(onlyRun(box.root)).toMatchObject({
      status: 'in_progress',
      machine: { step: 'plan' },
    });
    expect(onlyRun(box.root).sessions?.current_session_id).toBeNull();
    // Commands that the client has left behind can no longer move the run.
    const [{ driver = '' } = {}] = box.calls('start');
    const [{ session = '' } = {}] = box.calls('prompt');
    const env = { HOLDFAST_DRIVER: driver };
    const late = (...words: string[]) =>
      box.run(['advance', ...words], { code: 1, session, env });
    expect(late().stderr).toContain(
      'this session has no run of its own, so nothing was changed',
    );
    expect(late(runId(box)).stderr).toContain('another client works on');
    expect(onlyRun(box.root)).toMatchObject({ machine: { step: 'plan' } });
    expect(box.drive([runId(box)])).toMatchObject({ code: 0, stderr: '' });
    expect(prompts(box)).toEqual(['plan', 'plan', 'ship']);
  });

  it('by SIGKILL leaves a client that the next driver stops, so that no step is done twice', async () => {
    const box = drivenProject(TWO_STEPS);
    const late = [
      { run: 'true' },
      { until: 'go' },
      { run: 'echo late >> work; holdfast advance' },
    ];
    box.script([[{ run: 'holdfast advance' }], late]);
    const running = box.begin(START);
    await running.says('Bash true');
    // A client that writes after its driver is gone may end by itself.
    const stream = join(logFolder(box), '0001-plan.jsonl');
    const results = (): number =>
      readFileSync(stream, 'utf8').split('tool_result').length - 1;
    await vi.waitUntil(() => results() > 1, PATIENCE);
    running.child.kill('SIGKILL');
    await running.ended;
    const result = box.drive([runId(box), '--json']);
    writeFileSync(join(box.fake, 'go'), '');
    expect(result).toMatchObject({ code: 0, stderr: '' });
    const [{ pid } = {}] = box.calls('start');
    expect(named(box, result, 'took_over')).toMatchObject([
      { pid: running.child.pid },
    ]);
    expect(named(box, result, 'client_stopped')).toMatchObject([{ pid }]);
    expect(prompts(box)).toEqual(['plan', 'ship', 'ship']);
    expect(
      new Set(box.calls('prompt').map(({ session }) => session)).size,
    ).toBe(1);
    expect(existsSync(join(box.root, 'work'))).toBe(false);
    expect(
      journal(box).filter(({ event }) => event === 'advanced'),
    ).toHaveLength(2);
  });

  it('keeps a second driver out while it lives', async () => {
    const box = drivenProject(TWO_STEPS);
    box.script([
      [{ run: 'true' }, { until: 'go' }, { run: 'holdfast advance' }],
    ]);
    const running = box.begin(START);
    await running.says('Bash true');
    const second = box.drive([runId(box)], { code: 1 });
    expect(second.stderr).toContain(
      `driven already, by process ${running.child.pid}`,
    );
    writeFileSync(join(box.fake, 'go'), '');
    expect(await running.ended).toMatchObject({ code: 0 });
    expect(prompts(box)).toEqual(['plan', 'ship']);
  });

  it('leaves a record that is damaged, which counts as none', () => {
    const content =
      '{"owner":7,"client":{"pid":1,"token":"t","session":"--continue","stream":"../../x"},"sessions":{"main":"-c"}}';
    const box = drivenProject(TWO_STEPS);
    box.drive([...START, '--step']);
    const log = join(box.root, 'untracked/workflow-logs', runId(box));
    writeFileSync(join(log, 'driver.json'), content);
    expect(box.drive([runId(box)])).toMatchObject({ code: 0, stderr: '' });
    expect(box.calls('start')[1]?.args).toContain('--session-id');
  });
});
