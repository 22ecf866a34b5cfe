import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { repository, type Result } from '../support/cli.ts';
import { drivenProject, type Driven } from '../support/driven.ts';
import { archived, onlyRun, stateFiles } from '../support/state.ts';

const WORKFLOWS = '.claude/holdfast/workflows';

const template = (steps: string, more = ''): Record<string, string> => ({
  [`${WORKFLOWS}/release.yaml`]: `name: Release\ndescription: Ships it\n${more}steps:\n${steps}`,
});

const TWO_STEPS = template(`  - {id: plan, type: action, instructions: PLAN}
  - {id: ship, type: action, instructions: SHIP}
`);

const GATED = template(
  `  - {id: build, type: action, gate: "test -f built", instructions: BUILD}
  - {id: ship, type: action, instructions: SHIP}
`,
  'max_retries: 2\n',
);

const START = ['--template', 'release'];

/** The last event, which says why the driver has stopped. */
const stopOf = (box: Driven, result: Pick<Result, 'stdout'>) =>
  box.events({ code: 0, stderr: '', ...result }).at(-1);

const named = (box: Driven, result: Pick<Result, 'stdout'>, event: string) =>
  box.events({ code: 0, stderr: '', ...result }).filter((entry) => entry['event'] === event);

/** Of the only run there ever was. */
const logFolder = (box: Driven): string => {
  const logs = join(box.root, 'untracked/workflow-logs');
  const [name = ''] = readdirSync(logs).filter((entry) => entry !== '.gitignore');
  return join(logs, name);
};

const runId = (box: Driven): string => basename(logFolder(box));

/** The steps of the prompts, and the beginning of other prompts. */
const prompts = (box: Driven): string[] =>
  box
    .calls('prompt')
    .map(({ prompt = '' }) => / at step (\S+)\. /.exec(prompt)?.[1] ?? prompt.slice(0, 40));

/** What happened to the run, by its journal. */
const journal = (box: Driven): { event: string; [key: string]: unknown }[] => {
  const folders = [
    join(box.root, 'untracked/workflow-archive'),
    ...stateFiles(box.root).map((path) => join(box.root, dirname(path))),
  ].filter((folder) => existsSync(folder));
  return folders
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((path) => path.endsWith('.jsonl'))
    .flatMap((path) => readFileSync(path, 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line): { event: string } => JSON.parse(line));
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('a driven run', () => {
  it('goes from step to step with real boundaries: a fresh session for clear, a proved /compact, else the same session', () => {
    const box = drivenProject(
      template(`  - {id: plan, type: action, instructions: PLAN}
  - {id: review, type: action, context: compact, instructions: REVIEW}
  - {id: polish, type: ralph, n: 2, context: clear, instructions: POLISH}
  - {id: ship, type: action, instructions: SHIP}
`),
    );
    const result = box.drive(START);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toContain('the run is complete');
    expect(prompts(box)).toEqual(['plan', '/compact', 'review', 'polish', 'polish', 'ship']);
    const sessions = box.calls('prompt').map(({ session }) => session);
    const [first, , , second, third] = sessions;
    expect(sessions).toEqual([first, first, first, second, third, third]);
    expect(new Set(sessions).size).toBe(3);
    const log = logFolder(box);
    expect(readdirSync(log).filter((name) => name.endsWith('.jsonl'))).toHaveLength(4);
    expect(existsSync(join(log, 'driver.json'))).toBe(false);
  });

  it('asks once more after a turn that moves nothing, then the step fails by its on_fail', () => {
    const box = drivenProject(TWO_STEPS);
    box.script([[], []]);
    const result = box.drive([...START, '--json']);
    expect(result.code).toBe(1);
    expect(stopOf(box, result)).toMatchObject({
      event: 'stopped',
      reason: 'failed',
      exit_code: 1,
      message: expect.stringContaining('ended its turn twice'),
      error: { code: 'failed' },
    });
    expect(box.calls('prompt')).toHaveLength(2);
    expect(box.calls('prompt')[1]?.prompt).toContain('the run has not moved');
    expect(box.calls('start')[1]?.args).toContain('--json-schema');
    expect(onlyRun(box.root)).toMatchObject({ status: 'failed', machine: { step: 'plan' } });

    const again = box.drive([]);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('(failed)');
    expect(box.calls('prompt')).toHaveLength(2);
  });

  it('takes a structured report for the end of a step, never a word in the text', () => {
    const box = drivenProject(TWO_STEPS);
    box.script([
      [{ result: { result: 'The step is done. holdfast advance. DONE' } }],
      [{ result: { structured_output: { done: true, output: 'made by report' } } }],
    ]);
    const result = box.drive([...START, '--step']);
    expect(result.code).toBe(0);
    expect(result.stdout).toContain('the agent reports that the step is done');
    expect(result.stdout).toContain('the step is finished');
    expect(onlyRun(box.root)).toMatchObject({
      machine: { step: 'ship', outputs: { plan: 'made by report' } },
    });
  });

  it('lets the agent fail and pivot, and a report that gives up fails the step', () => {
    const box = drivenProject(
      template(
        `  - {id: plan, type: action, instructions: PLAN}
  - {id: ship, type: action, on_fail: retry, instructions: SHIP}
`,
        'max_retries: 1\n',
      ),
    );
    box.script([
      [{ run: 'holdfast advance' }],
      [{ run: 'holdfast pivot plan --feedback "too big"' }],
      [{ run: 'holdfast advance' }],
      [{ run: 'holdfast fail --reason "no network"' }],
      [{ result: { structured_output: { done: false, reason: 'still no network' } } }],
    ]);
    const result = box.drive([...START, '--json']);
    expect(result.code).toBe(1);
    expect(stopOf(box, result)).toMatchObject({ reason: 'limit' });
    expect(prompts(box)).toEqual(['plan', 'ship', 'plan', 'ship', 'ship']);
    expect(onlyRun(box.root)).toMatchObject({
      status: 'failed',
      status_reason: 'still no network',
    });
  });
});

describe('gates of a driven run', () => {
  const trusted = (): Driven => {
    const box = drivenProject(GATED);
    expect(box.run(['trust', 'release', '--yes']).code).toBe(0);
    return box;
  };

  it('are run by the driver; a failure goes back to the agent with the output', () => {
    const box = drivenProject(
      template(`  - {id: build, type: action, gate: "echo NOT-BUILT; test -f built", instructions: BUILD}
`),
    );
    box.run(['trust', 'release', '--yes']);
    box.script([
      [{ run: 'holdfast advance --output first' }],
      [{ run: 'touch built; holdfast advance --output second' }],
    ]);
    const result = box.drive([...START, '--json']);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(named(box, result, 'gate').map((event) => event['result'])).toEqual([
      'failed',
      'passed',
    ]);
    const [first, second] = box.calls('prompt');
    expect(second?.prompt).toContain('NOT-BUILT');
    expect(second?.prompt).toContain('exited with 1');
    expect(second?.session).toBe(first?.session);
    const [advance] = box.calls('tool');
    expect(advance?.output).toContain('End your turn now');
    const [name = ''] = archived(box.root).filter((file) => file.endsWith('.json'));
    const state = JSON.parse(
      readFileSync(join(box.root, 'untracked/workflow-archive', name), 'utf8'),
    );
    expect(state.machine.outputs).toEqual({ build: 'second' });
    expect(state.requested_advance).toBeUndefined();
  });

  it('that keep failing fail the step after max_retries', () => {
    const box = trusted();
    box.script(
      Array.from({ length: 5 }, (_, n) => [{ run: `echo ${n} > work; holdfast advance` }]),
    );
    const result = box.drive([...START, '--json']);
    expect(result.code).toBe(1);
    expect(stopOf(box, result)).toMatchObject({
      reason: 'failed',
      message: expect.stringContaining('the gate `test -f built` exited with 1'),
    });
    expect(box.calls('prompt')).toHaveLength(3);
  });

  it('have to be trusted before anything is started', () => {
    const box = drivenProject(GATED);
    const result = box.drive(START);
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('not trusted to run commands');
    expect(result.stderr).toContain('holdfast trust release');
    expect(stateFiles(box.root)).toEqual([]);
    expect(box.calls()).toEqual([]);
  });

  it('are not run twice for a request that a killed driver has left', async () => {
    const box = trusted();
    box.script([[{ run: 'touch built; holdfast advance' }, { sleep: 400 }]]);
    const first = box.begin([...START, '--json']);
    await first.says('holdfast advance');
    while (onlyRun(box.root).requested_advance === undefined)
      await new Promise((settle) => setTimeout(settle, 5));
    first.child.kill('SIGKILL');
    await first.ended;
    const second = box.drive([runId(box), '--json']);
    expect(second).toMatchObject({ code: 0, stderr: '' });
    expect(prompts(box)).toEqual(['build', 'ship']);
    expect(journal(box).filter(({ event }) => event === 'advanced')).toHaveLength(2);
  });
});

describe('a driven run stops', () => {
  it('for an approval with exit 3, and goes on after it', () => {
    const box = drivenProject(
      template(`  - {id: plan, type: action, instructions: PLAN}
  - {id: sign, type: approval}
  - {id: ship, type: action, instructions: SHIP}
`),
    );
    const first = box.drive(START);
    expect(first.code).toBe(3);
    expect(first.stderr).toContain(`holdfast approve ${runId(box)}`);
    expect(box.drive([runId(box)]).code).toBe(3);
    expect(box.run(['approve']).code).toBe(0);
    expect(box.drive([runId(box)])).toMatchObject({ code: 0, stderr: '' });
  });

  it('for tasks with exit 3', () => {
    const box = drivenProject({
      [`${WORKFLOWS}/release.yaml`]:
        'name: Release\ndescription: d\nsteps:\n  - {id: build, type: loop}\nloops:\n  build: [{id: code, instructions: CODE}]\n',
    });
    const first = box.drive(START);
    expect(first.code).toBe(3);
    expect(first.stderr).toContain('waits for its tasks');
    expect(box.calls('prompt')).toEqual([]);
    expect(box.run(['tasks', 'build'], { input: 'one\ntwo\n' }).code).toBe(0);
    expect(box.drive([runId(box)]).code).toBe(0);
    expect(prompts(box)).toEqual(['build', 'build']);
  });

  it('when the budget is used up, with exit 4, and says what was spent', () => {
    const box = drivenProject(TWO_STEPS);
    const result = box.drive([...START, '--max-cost', '0.005', '--json']);
    expect(result.code).toBe(4);
    expect(stopOf(box, result)).toMatchObject({ reason: 'budget', usage: { cost_usd: 0.01 } });
    expect(box.calls('start')[0]?.args).toContain('--max-budget-usd');
    expect(onlyRun(box.root).machine).toMatchObject({ step: 'ship' });
  });

  it('when the client says that the budget is used up', () => {
    const box = drivenProject(TWO_STEPS);
    box.script([[{ result: { subtype: 'error_max_budget_usd', is_error: true } }]]);
    expect(box.drive([...START, '--max-cost', '9']).code).toBe(4);
  });

  it('when the time of a step or of the run is used up, with exit 4, and the client is gone', () => {
    const box = drivenProject(TWO_STEPS);
    box.script([[{ sleep: 60_000 }], [{ sleep: 60_000 }]]);
    const step = box.drive([...START, '--step-time', '1s']);
    expect(step.code).toBe(4);
    expect(step.stderr).toContain('longer than 1 s');
    const all = box.drive([runId(box), '--max-time', '1s']);
    expect(all.code).toBe(4);
    expect(all.stderr).toContain('the time of 1 s is used up');
    expect(onlyRun(box.root)).toMatchObject({ status: 'in_progress', machine: { step: 'plan' } });
    for (const { pid = 0 } of box.calls('start')) expect(isAlive(pid)).toBe(false);
  });

  it('when a tool was denied, naming it and the flag that allows it', () => {
    const box = drivenProject(TWO_STEPS);
    const denied = (tool_name: string, tool_input: object) => ({ tool_name, tool_input });
    box.script([
      [
        {
          result: {
            permission_denials: [
              denied('Write', { file_path: '/x' }),
              denied('Bash', { command: 'npm test -- --watch' }),
              denied('Bash', { command: 'rm -rf /; true' }),
            ],
          },
        },
      ],
    ]);
    const result = box.drive([...START, '--permission-mode', 'default']);
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('Write, Bash(npm test:*), Bash');
    expect(result.stderr).toContain(
      `holdfast run ${runId(box)} --permission-mode default --allow Write --allow 'Bash(npm test:*)' --allow Bash`,
    );
    const next = box.drive([runId(box), '--allow', 'Write', '--allow', 'Bash(npm test:*)']);
    expect(next.code).toBe(0);
    const args = box.calls('start')[1]?.args ?? [];
    expect(args.slice(args.indexOf('--allowedTools'))).toEqual(
      expect.arrayContaining(['Write', 'Bash(npm test:*)', 'Bash(holdfast advance:*)']),
    );
    expect(args.join(' ')).not.toMatch(/holdfast (?:run|approve|trust|sync)/);
  });

  it('when three turns have changed neither files nor run', () => {
    const box = drivenProject(
      template(
        `  - {id: build, type: action, gate: "test -f built", instructions: BUILD}\n`,
        'max_retries: 9\n',
      ),
    );
    rmSync(join(box.root, '.git'), { recursive: true });
    execFileSync('git', ['init', '--quiet'], { cwd: box.root });
    box.run(['trust', 'release', '--yes']);
    const result = box.drive([...START, '--json']);
    expect(result.code).toBe(1);
    expect(stopOf(box, result)).toMatchObject({ reason: 'no_progress' });
    expect(box.calls('prompt')).toHaveLength(3);
  });

  it('after each step with --step', () => {
    const box = drivenProject(TWO_STEPS);
    const first = box.drive([...START, '--step']);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toContain(`holdfast run ${runId(box)} --step`);
    expect(onlyRun(box.root).machine).toMatchObject({ step: 'ship' });
    expect(box.drive([runId(box), '--step']).code).toBe(0);
    expect(stateFiles(box.root)).toEqual([]);
  });

  it('and hands the reason to --on-stop as JSON', () => {
    const box = drivenProject(TWO_STEPS);
    const result = box.drive([...START, '--step', '--on-stop', 'cat > stopped.json; echo noise']);
    expect(result.code).toBe(0);
    expect(result.stdout).not.toContain('noise');
    expect(JSON.parse(readFileSync(join(box.root, 'stopped.json'), 'utf8'))).toMatchObject({
      event: 'stopped',
      reason: 'step',
      exit_code: 0,
      run: runId(box),
    });
    const failing = box.drive([runId(box), '--on-stop', 'exit 7']);
    expect(failing.code).toBe(0);
    expect(failing.stderr).toContain('--on-stop failed: it exited with 7');
  });
});

describe('trouble of a driven run', () => {
  const failed = (status: number | null, result: string) => [
    { result: { is_error: true, api_error_status: status, result } },
  ];

  it.each([
    [529, 'API Error: 529 Overloaded'],
    [429, 'API Error: Request rejected (429)'],
    [500, 'API Error: 500 Internal server error'],
    [null, 'API Error: Connection refused'],
  ])('status %s is retried in the same session', (status, text) => {
    const box = drivenProject(TWO_STEPS);
    box.script([failed(status, text), failed(status, text)]);
    const result = box.drive([...START, '--json']);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(named(box, result, 'retry')).toHaveLength(2);
    expect(new Set(box.calls('prompt').map(({ session }) => session)).size).toBe(1);
    expect(prompts(box)).toEqual(['plan', 'plan', 'plan', 'ship']);
  });

  it('that lasts stops the run, which can go on', () => {
    const box = drivenProject(TWO_STEPS);
    box.script(Array.from({ length: 7 }, () => failed(500, 'API Error: 500')));
    const result = box.drive(START, { env: { HOLDFAST_RUN_TIMING: '1,60000' } });
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('API Error: 500');
    expect(onlyRun(box.root)).toMatchObject({ status: 'in_progress' });
    expect(box.drive([runId(box)]).code).toBe(0);
  });

  it('with the login stops at once', () => {
    const box = drivenProject(TWO_STEPS);
    box.script([failed(401, 'Failed to authenticate. API Error: 401')]);
    const result = box.drive([...START, '--json']);
    expect(result.code).toBe(1);
    expect(stopOf(box, result)).toMatchObject({
      reason: 'authentication',
      message: expect.stringContaining('not logged in'),
      hint: expect.stringContaining('/login'),
    });
    expect(box.calls('prompt')).toHaveLength(1);
  });

  it('with a usage limit stops, and waits for its reset with --wait-limits', () => {
    const box = drivenProject(TWO_STEPS);
    const resetsAt = Math.floor(Date.now() / 1000);
    const limited = [{ limit: resetsAt }, ...failed(429, "You've hit your limit")];
    box.script([limited, limited]);
    const first = box.drive([...START, '--json']);
    expect(first.code).toBe(1);
    expect(stopOf(box, first)).toMatchObject({
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
    const result = box.drive([...START, '--json']);
    expect(result.code).toBe(1);
    expect(stopOf(box, result)).toMatchObject({ reason: 'client' });
    expect(box.calls('start')).toHaveLength(4);
  });

  it('with a client that hangs ends its turn and tries again', () => {
    const box = drivenProject(TWO_STEPS);
    box.script([[{ sleep: 60_000 }]]);
    const result = box.drive([...START, '--json'], { env: { HOLDFAST_RUN_TIMING: '20,1500' } });
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
    expect(new Set(box.calls('prompt').map(({ session }) => session)).size).toBe(2);
  });

  it('with a compaction that does not happen begins a fresh conversation', () => {
    const box = drivenProject(
      template(`  - {id: plan, type: action, instructions: PLAN}
  - {id: ship, type: action, context: compact, instructions: SHIP}
`),
    );
    writeFileSync(join(box.fake, 'no-compact'), '');
    const result = box.drive([...START, '--json']);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(named(box, result, 'compaction_failed')).toMatchObject([
      { reason: 'Not enough messages to compact.' },
    ]);
    expect(new Set(box.calls('prompt').map(({ session }) => session)).size).toBe(2);
  });

  it('with unknown, cut and binary lines in the stream is none', () => {
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
    box.script([[{ run: 'holdfast advance' }, { result: { total_cost_usd: null } }]]);
    const result = box.drive(START);
    expect(result.code).toBe(0);
    expect(result.stdout).toMatch(/step 1 of 2 \(plan\): .*cost unknown/);
    expect(result.stdout).toMatch(/in all: .*cost unknown/);
  });
});

describe('a driver that ends in the middle', () => {
  it('by Ctrl-C interrupts the turn, ends the client and says how to continue', async () => {
    const box = drivenProject(TWO_STEPS);
    box.script([[{ run: 'true' }, { sleep: 60_000 }]]);
    const running = box.begin(START);
    await running.says('Bash true');
    running.child.kill('SIGINT');
    const end = await running.ended;
    expect(end).toMatchObject({ code: 130 });
    expect(end.stderr).toContain(`holdfast run ${runId(box)}`);
    for (const { pid = 0 } of box.calls('start')) expect(isAlive(pid)).toBe(false);
    expect(onlyRun(box.root)).toMatchObject({ status: 'in_progress', machine: { step: 'plan' } });
    expect(onlyRun(box.root).sessions?.current_session_id).toBeNull();
    expect(box.drive([runId(box)])).toMatchObject({ code: 0, stderr: '' });
    expect(prompts(box)).toEqual(['plan', 'plan', 'ship']);
  });

  it('by Ctrl-C during a gate leaves the step unfinished', async () => {
    const box = drivenProject(
      template(`  - {id: build, type: action, gate: "sleep 60", instructions: BUILD}\n`),
    );
    box.run(['trust', 'release', '--yes']);
    const running = box.begin(START);
    await running.says('the agent asks for the next step');
    await new Promise((settle) => setTimeout(settle, 300));
    running.child.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 130 });
    expect(onlyRun(box.root)).toMatchObject({ machine: { step: 'build' } });
  });

  it('by SIGKILL leaves a client that the next driver waits for, so that no step is done twice', async () => {
    const box = drivenProject(TWO_STEPS);
    box.script([
      [{ run: 'true' }, { sleep: 1_500 }, { run: 'echo plan >> work; holdfast advance' }],
    ]);
    const running = box.begin(START);
    await running.says('Bash true');
    running.child.kill('SIGKILL');
    await running.ended;
    const result = box.drive([runId(box), '--json']);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(named(box, result, 'waiting_for_client')).toHaveLength(1);
    expect(prompts(box)).toEqual(['plan', 'ship']);
    expect(readFileSync(join(box.root, 'work'), 'utf8')).toBe('plan\n');
    expect(journal(box).filter(({ event }) => event === 'advanced')).toHaveLength(2);
  });

  it('keeps a second driver out while it lives', async () => {
    const box = drivenProject(TWO_STEPS);
    box.script([[{ run: 'true' }, { sleep: 3_000 }, { run: 'holdfast advance' }]]);
    const running = box.begin(START);
    await running.says('Bash true');
    const second = box.drive([runId(box)]);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`driven already, by process ${running.child.pid}`);
    expect(await running.ended).toMatchObject({ code: 0 });
    expect(prompts(box)).toEqual(['plan', 'ship']);
  });

  it('leaves commands behind that can no longer move the run', async () => {
    const box = drivenProject(TWO_STEPS);
    box.script([[{ run: 'true' }, { sleep: 60_000 }]]);
    const running = box.begin(START);
    await running.says('Bash true');
    const [{ driver = '' } = {}] = box.calls('start');
    running.child.kill('SIGINT');
    await running.ended;
    const late = box.run(['advance'], { session: 'late', env: { HOLDFAST_DRIVER: driver } });
    expect(late.code).toBe(1);
    expect(late.stderr).toContain('another client works on');
    expect(onlyRun(box.root)).toMatchObject({ machine: { step: 'plan' } });
  });
});

describe('run refuses with a sentence', () => {
  it.each([
    [['nothing-like-it'], 'no run is named "nothing-like-it"'],
    [['--template', 'relese'], 'did you mean release?'],
    [[], 'no active workflow here'],
  ])('%j', (words, text) => {
    const box = drivenProject(TWO_STEPS);
    const result = box.drive(words);
    expect(result.code).toBe(1);
    expect(result.stderr).toContain(text);
    expect(stateFiles(box.root)).toEqual([]);
  });

  it.each([
    [['--max-cost', 'lots'], 'an amount in US dollars'],
    [['--max-time', '5'], 'a duration such as 40s, 15m or 2h'],
    [['--step-time', '0s'], 'a duration such as 40s, 15m or 2h'],
    [['--permission-mode', 'yolo'], 'Allowed choices'],
    [['--frobnicate'], 'unknown option'],
  ])('%j is wrong usage', (words, text) => {
    const result = drivenProject(TWO_STEPS).drive([...START, ...words]);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain(text);
  });

  it('a client that is missing, does not start or is too old', () => {
    const box = drivenProject(TWO_STEPS);
    const nowhere = box.drive(START, { env: { PATH: dirname(process.execPath) } });
    expect(nowhere.stderr).toContain('`claude` is not on the PATH');
    writeFileSync(join(box.fake, 'version'), '2.0.14');
    const old = box.drive(START);
    expect(old.stderr).toContain('Claude Code 2.0.14 cannot be driven');
    expect(old.stderr).toContain('claude update');
    writeFileSync(join(box.home, 'fake-bin/claude'), '#!/bin/sh\nexit 9\n');
    expect(box.drive(START).stderr).toContain('does not start');
    expect(stateFiles(box.root)).toEqual([]);
  });

  it('a run without a template, a finished one, and one that a live session holds', () => {
    const box = drivenProject(TWO_STEPS);
    box.run(['start', 'By hand']);
    expect(box.drive(['by-hand']).stderr).toContain('has no template');
    box.run(['complete', 'by-hand']);
    expect(box.drive(['by-hand']).stderr).toContain('is completed');
    box.run(['start', '--template', 'release'], { session: 'interactive' });
    const held = box.drive(['release']);
    expect(held.code).toBe(1);
    expect(held.stderr).toContain('belongs to the live session interactive');
    expect(box.calls('start')).toEqual([]);
  });

  it('a project with programs of its own that nobody has trusted', () => {
    const hook = { type: 'command', command: './evil.sh' };
    const box = drivenProject({
      ...TWO_STEPS,
      '.claude/settings.json': JSON.stringify({
        hooks: { PreToolUse: [{ matcher: '', hooks: [hook] }] },
        enabledPlugins: { 'evil@market': true },
        apiKeyHelper: './key.sh',
      }),
      '.mcp.json': JSON.stringify({ mcpServers: { evil: { command: './server' } } }),
      '.claude/skills/holdfast/hooks/hooks.json': JSON.stringify({
        modules: ['./register.js'],
        hooks: {},
      }),
      '.claude/skills/holdfast/hooks/register.js': 'export function register() {}',
    });
    const result = box.drive(START);
    expect(result.code).toBe(1);
    for (const named of [
      'hooks for PreToolUse in .claude/settings.json',
      'the plugin evil@market',
      'apiKeyHelper',
      'the MCP server evil in .mcp.json',
      'the module in .claude/skills/holdfast',
    ])
      expect(result.stderr).toContain(named);
    expect(stateFiles(box.root)).toEqual([]);
    const projects = { [dirname(box.root)]: { hasTrustDialogAccepted: true } };
    writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ projects }));
    expect(box.drive(START).code).toBe(0);
  });

  it('a log that cannot be written', () => {
    const box = drivenProject({ ...TWO_STEPS, 'untracked/workflow-logs': 'a file' });
    const result = box.drive(START);
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('untracked/workflow-logs');
    expect(box.calls('start')).toEqual([]);
  });

  it('inside a session that is driven itself', () => {
    const box = drivenProject(TWO_STEPS);
    box.script([[{ run: 'holdfast run --template release; holdfast advance' }]]);
    expect(box.drive(START).code).toBe(0);
    expect(box.calls('tool')[0]?.output).toContain(
      'runs inside a session that `holdfast run` drives',
    );
  });

  it('--worktree without git, without a commit, or without a template', () => {
    const box = drivenProject(TWO_STEPS);
    rmSync(join(box.root, '.git'), { recursive: true });
    expect(box.drive([...START, '--worktree']).stderr).toContain('is not a git repository');
    execFileSync('git', ['init', '--quiet'], { cwd: box.root });
    expect(box.drive([...START, '--worktree']).stderr).toContain('has no commit yet');
    box.run(['start', '--template', 'release']);
    expect(box.drive(['release', '--worktree']).stderr).toContain('needs --template');
    expect(box.calls('start')).toEqual([]);
  });
});

describe('run', () => {
  it('loads the hooks with settings where they are not installed, and never twice', () => {
    const box = drivenProject(TWO_STEPS);
    box.drive([...START, '--step']);
    const args = box.calls('start')[0]?.args ?? [];
    const settings = JSON.parse(args[args.indexOf('--settings') + 1] ?? '');
    expect(Object.keys(settings.hooks)).toEqual(
      expect.arrayContaining(['SessionStart', 'PreCompact', 'PostCompact', 'SessionEnd']),
    );
    expect(box.run(['init']).code).toBe(0);
    box.drive([runId(box)]);
    expect(box.calls('start')[1]?.args).not.toContain('--settings');
  });

  it('starts the client with a clean environment, and the options of the user', () => {
    const box = drivenProject(TWO_STEPS);
    const env = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'outer', HOLDFAST: 'off' };
    const result = box.drive([...START, '--model', 'opus', '--step'], { env });
    expect(result.code).toBe(0);
    const [call] = box.calls('start');
    expect(call).toMatchObject({ claudecode: null, driver: expect.stringContaining(runId(box)) });
    expect(call?.args).toEqual(expect.arrayContaining(['--model', 'opus']));
    expect(call?.args).not.toContain('--dangerously-skip-permissions');
  });

  it('gives a step with an agent a conversation of its own, then goes on in the main one', () => {
    const box = drivenProject(
      template(
        `  - {id: plan, type: action, instructions: PLAN}
  - {id: review, type: action, agent: reviewer, instructions: REVIEW}
  - {id: ship, type: action, instructions: SHIP}
`,
        'agents: {reviewer: {description: Reads everything twice}}\n',
      ),
    );
    box.script([
      [{ run: 'holdfast advance; holdfast status' }],
      [{ run: 'holdfast status; holdfast advance' }],
    ]);
    expect(box.drive(START)).toMatchObject({ code: 0, stderr: '' });
    const [main, own, again] = box.calls('start');
    const sessions = box.calls('prompt').map(({ session }) => session);
    expect(sessions[2]).toBe(sessions[0]);
    expect(sessions[1]).not.toBe(sessions[0]);
    expect(main?.args).not.toContain('--agent');
    expect(own?.args).toEqual(expect.arrayContaining(['--agent', 'reviewer', '--agents']));
    expect(again?.args).toContain('--resume');
    const [left, reviewed] = box.calls('tool');
    expect(left?.output).toContain('End your turn now');
    expect(left?.output).not.toContain('REVIEW\n');
    expect(reviewed?.output).toContain('REVIEW');
    expect(reviewed?.output).toContain('reviewer (this session)');
  });

  it('prints a plan with --dry-run and starts nothing', () => {
    const box = drivenProject({
      ...template(
        `  - {id: plan, type: action, instructions: PLAN}
  - {id: build, type: loop}
  - {id: polish, type: ralph, n: 3, context: clear, instructions: POLISH}
  - {id: sign, type: approval}
`,
        'loops: {build: [{id: code, instructions: CODE, context: compact}]}\n',
      ),
    });
    const result = box.drive([...START, '--dry-run']);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toContain('▸ plan: a fresh conversation');
    expect(result.stdout).toContain('code: the conversation is compacted first');
    expect(result.stdout).toContain('polish: a fresh conversation, up to 3 times');
    expect(result.stdout).toContain('sign: stops and waits for you');
    expect(stateFiles(box.root)).toEqual([]);
    expect(box.calls()).toEqual([]);
    expect(box.json(['run', ...START, '--dry-run'])).toMatchObject({
      steps: [
        { id: 'plan', session: 'fresh' },
        { id: 'build' },
        { repeats: 3 },
        { session: 'none' },
      ],
    });
  });

  it('works in a worktree of its own, which stays only if something was changed', () => {
    const box = drivenProject(TWO_STEPS);
    rmSync(join(box.root, '.git'), { recursive: true });
    const git = (...words: string[]) =>
      execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.invalid', ...words], {
        cwd: box.root,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    git('init', '--quiet');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'start');
    const clean = box.drive([...START, '--worktree']);
    expect(clean.code).toBe(0);
    expect(clean.stderr).toContain('nothing was changed in it');
    expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
    expect(archived(box.root).some((name) => name.endsWith('.json'))).toBe(true);
    box.script([]);
    writeFileSync(join(box.fake, 'turn'), '0');
    box.script([[{ run: 'echo hi > new.txt; holdfast advance' }]]);
    const dirty = box.drive([...START, '--worktree', 'login', '--step']);
    expect(dirty.code).toBe(0);
    expect(dirty.stderr).toContain('kept ');
    const [, kept = ''] = git('worktree', 'list').trim().split('\n');
    const [folder = ''] = kept.split(' ');
    expect(basename(folder)).toContain('login');
    expect(existsSync(join(folder, 'new.txt'))).toBe(true);
    expect(dirty.stdout).toContain(`holdfast --cwd ${folder} run`);
  });

  it('prints events that fit their schema', () => {
    const schema = JSON.parse(
      readFileSync(join(repository, 'schemas/run-events.schema.json'), 'utf8'),
    );
    const validate = new Ajv({ strict: false }).compile(schema);
    const box = drivenProject(
      template(
        `  - {id: plan, type: action, instructions: PLAN, gate: "test -f built"}
  - {id: polish, type: ralph, n: 2, until: "true", context: compact, instructions: POLISH}
  - {id: sign, type: approval}
`,
      ),
    );
    box.run(['trust', 'release', '--yes']);
    box.script([
      [{ kill: 'SIGKILL' }],
      [{ run: 'holdfast advance' }],
      [],
      [{ run: 'touch built; holdfast advance' }],
    ]);
    const result = box.drive([...START, '--json']);
    expect(result.code).toBe(3);
    const events = box.events(result);
    for (const event of events) {
      const isValid = validate(event);
      expect({ event, errors: isValid ? [] : validate.errors }).toMatchObject({ errors: [] });
    }
    expect(new Set(events.map(({ event }) => event)).size).toBeGreaterThan(9);
    const logged = readFileSync(join(logFolder(box), 'events.jsonl'), 'utf8')
      .trim()
      .split('\n');
    expect(logged.map((line) => JSON.parse(line))).toEqual(events);
  });

  it('tells the journal what each step has used', () => {
    const box = drivenProject(TWO_STEPS);
    box.drive(START);
    expect(journal(box).filter(({ event }) => event === 'step_driven')).toMatchObject([
      { step: 'plan', outcome: 'finished', turns: 1, cost_usd: 0.01 },
      { step: 'ship', outcome: 'finished', turns: 1, cost_usd: 0.01 },
    ]);
  });
});
