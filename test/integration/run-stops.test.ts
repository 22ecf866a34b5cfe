import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  drivenProject,
  isAlive,
  named,
  runId,
  START,
  stopOf,
  template,
  TWO_STEPS,
} from '../support/driven.ts';
import { onlyRun, stateFiles } from '../support/state.ts';

describe('a driven run stops', () => {
  it('when the budget is used up, with exit 4, and says what was spent', () => {
    const box = drivenProject(TWO_STEPS);
    const result = box.drive([...START, '--max-cost', '0.005', '--json'], {
      code: 4,
    });
    expect(stopOf(box, result)).toMatchObject({
      reason: 'budget',
      usage: { cost_usd: 0.01 },
    });
    expect(box.calls('start')[0]?.args).toContain('--max-budget-usd');
    expect(onlyRun(box.root).machine).toMatchObject({ step: 'ship' });
  });

  it('when the time of a step or of the run is used up, with exit 4, and the client is gone', () => {
    const box = drivenProject(TWO_STEPS);
    box.script([[{ sleep: 600_000 }], [{ sleep: 600_000 }]]);
    const step = box.drive([...START, '--step-time', '0.6s'], { code: 4 });
    expect(step.stderr).toContain('longer than 1 s');
    const all = box.drive([runId(box), '--max-time', '0.6s'], { code: 4 });
    expect(all.stderr).toContain('the time of 1 s is used up');
    expect(onlyRun(box.root)).toMatchObject({
      status: 'in_progress',
      machine: { step: 'plan' },
    });
    for (const { pid = 0 } of box.calls('start'))
      expect(isAlive(pid)).toBe(false);
  });

  it('when a tool was denied, naming it and the flag that allows it', () => {
    const box = drivenProject(TWO_STEPS);
    const denied = (tool_name: string, tool_input: object) => ({
      tool_name,
      tool_input,
    });
    box.script([
      [
        {
          result: {
            permission_denials: [
              denied('Write', { file_path: '/x' }),
              denied('Bash', { command: 'npm test -- --watch' }),
              denied('Bash', { command: 'ls > /etc/x' }),
            ],
          },
        },
      ],
    ]);
    const result = box.drive([...START, '--permission-mode', 'default'], {
      code: 1,
    });
    expect(result.stderr).toContain('Write, Bash(npm test:*), Bash');
    expect(result.stderr).toContain(
      `holdfast run ${runId(box)} --permission-mode default --allow Write --allow 'Bash(npm test:*)' --allow Bash`,
    );
    box.drive([runId(box), '--allow', 'Write', '--allow', 'Bash(npm test:*)']);
    const args = box.calls('start')[1]?.args ?? [];
    expect(args.slice(args.indexOf('--allowedTools') + 1)).toEqual([
      'Write',
      'Bash(npm test:*)',
    ]);
    expect(args[args.indexOf('--settings') + 1]).toContain(
      '"if":"Bash(*holdfast*)"',
    );
  });

  const stubborn = (built: string) =>
    template(
      `  - {id: build, type: action, gate: "test -f ${built}", instructions: BUILD}\n`,
      'max_retries: 9\n',
    );

  it.each(['with', 'without'])(
    'when three turns have changed neither files nor run, %s git',
    (git) => {
      const box = drivenProject(stubborn('built'));
      rmSync(join(box.root, '.git'), { recursive: true });
      if (git === 'with')
        execFileSync('git', ['init', '--quiet'], { cwd: box.root });
      box.run(['trust', 'release', '--yes']);
      expect(box.stop(START, 1)).toMatchObject({ reason: 'no_progress' });
      expect(box.calls('prompt')).toHaveLength(3);
    },
  );

  it('not before the gate of the third turn, which git may not see to change anything', () => {
    const box = drivenProject(stubborn('ignored/3'));
    execFileSync('git', ['init', '--quiet'], { cwd: box.root });
    writeFileSync(join(box.root, '.gitignore'), 'ignored\n');
    box.run(['trust', 'release', '--yes']);
    box.script(
      [1, 2, 3].map((n) => [
        { run: `mkdir -p ignored; touch ignored/${n}; holdfast advance` },
      ]),
    );
    box.drive(START);
    expect(stateFiles(box.root)).toEqual([]);
  });

  it('after a failure, which the agent cannot undo', () => {
    const box = drivenProject(TWO_STEPS);
    box.script([
      [{ run: 'holdfast fail --reason broken; holdfast resume', code: 1 }],
    ]);
    expect(box.drive(START, { code: 1 }).stdout).toContain('✗ step 1');
    expect(onlyRun(box.root).status).toBe('failed');
  });

  it('after each step with --step, and hands the reason to --on-stop as JSON', () => {
    const box = drivenProject(TWO_STEPS);
    const limits = [
      '--max-cost',
      '2',
      '--max-time',
      '5m',
      '--on-stop',
      'cat > stopped.json; echo noise',
    ];
    const first = box.drive([...START, '--step', ...limits]);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toContain(
      `holdfast run ${runId(box)} --max-cost 2 --max-time 300s --on-stop 'cat > stopped.json; echo noise' --step`,
    );
    expect(first.stdout).not.toMatch(/^noise/m);
    expect(
      JSON.parse(readFileSync(join(box.root, 'stopped.json'), 'utf8')),
    ).toMatchObject({
      event: 'stopped',
      reason: 'step',
      exit_code: 0,
      run: runId(box),
    });
    expect(onlyRun(box.root).machine).toMatchObject({ step: 'ship' });
    const failing = box.drive([runId(box), '--step', '--on-stop', 'exit 7']);
    expect(failing.stderr).toContain('--on-stop failed: it exited with 7');
    expect(stateFiles(box.root)).toEqual([]);
  });
});

const RETRIED = (gate: string, retries: number) =>
  template(
    `  - {id: build, type: action, ${gate}on_fail: retry, instructions: BUILD}\n`,
    `max_retries: ${retries}\n`,
  );
const GATE = 'gate: "test -f built", ';

describe('a step that is tried again', () => {
  it('goes on while turns change files, until its retries are used up, and says which and why', () => {
    const box = drivenProject(RETRIED(GATE, 4));
    box.run(['trust', 'release', '--yes']);
    box.script(
      Array.from({ length: 9 }, (_, n) => [
        { run: `echo ${n} > try-${n}; holdfast advance` },
      ]),
    );
    const result = box.drive([...START, '--json'], { code: 1 });
    expect(named(box, result, 'gate')).toHaveLength(5);
    expect(stopOf(box, result)).toMatchObject({
      reason: 'limit',
      message:
        'step 1 of 1 (build) has used up its 4 retries: "the gate \'test -f built\' exited with 1"',
    });
    // As the hint says.
    box.run(['resume', runId(box)]);
    box.script([]);
    writeFileSync(join(box.root, 'built'), '');
    box.drive([runId(box)]);
  });
});
