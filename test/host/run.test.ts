import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, it, type TestContext } from 'vitest';
import { archived, onlyRun } from '../support/state.ts';
import { CLIENT_VERSIONS, ONE_VERSION } from './support/client.ts';
import { drive, startDriving, worker } from './support/drive.ts';
import { given } from './support/given.ts';
import { holdfast, openHost } from './support/holdfast.ts';
import type { Host } from './support/host.ts';
import { lastPrompt, sessionOf } from './support/request.ts';
import { startTroubled } from './support/troubled.ts';

const WHOLE = `name: Release
description: Ships it
agents: {reviewer: {description: Reads everything twice}}
steps:
  - {id: plan, type: action, instructions: PLAN-IT}
  - {id: build, type: loop}
  - {id: check, type: action, context: compact, instructions: CHECK-IT, gate: test -f checked}
  - {id: review, type: action, agent: reviewer, instructions: REVIEW-IT}
  - {id: polish, type: ralph, n: 5, until: test -f polished, context: clear, instructions: POLISH-IT}
  - {id: sign, type: approval}
  - {id: ship, type: action, instructions: SHIP-IT}
loops:
  build:
    - {id: code, instructions: "CODE {task.title}"}
    - {id: test, instructions: "TEST {task.title}"}
transitions:
  - {from: sign, to: ship, context: keep}
`;

/**
 * Places at which the driver or its client is killed, by the number of events that have come: where a client itself has
 * begun something. The long suites kill at each event of a scripted client. What a client does after its driver is gone
 * may differ between versions.
 */
const PLACES: [number, string][] = [
  [7, 'the agent moves the run'],
  [21, 'during the compaction'],
];
/** Any other status is trouble as 529 is: see test/integration/run-trouble.test.ts. */
const TROUBLES: [401 | 529 | 'cut', number, string, readonly string[]][] = [
  [401, 1, 'authentication', CLIENT_VERSIONS],
  [529, 0, 'done', ONE_VERSION],
  ['cut', 0, 'done', CLIENT_VERSIONS],
];

describe.each(CLIENT_VERSIONS)('a driven run in client %s', (version) => {
  it('goes from start to archive over every kind of boundary, without installed hooks', async (context) => {
    const { expect } = context;
    const host = await openHost(version, context, {
      git: true,
      files: {
        '.claude/settings.json': {},
        '.claude/holdfast/workflows/release.yaml': WHOLE,
      },
    });
    const { root } = host.project;
    let checks = 0;
    let polishes = 0;
    host.model.answerWith(
      worker((step, request) => {
        switch (step) {
          case 'plan':
            return [
              `printf 'Basket\\nPayment\\n' | holdfast tasks build`,
              'holdfast advance --output planned',
            ];
          case 'check':
            checks += 1;
            return ['holdfast advance'];
          case 'polish':
            polishes += 1;
            return polishes > 3
              ? ['touch polished', 'holdfast advance']
              : ['holdfast advance'];
          case 'other':
            return lastPrompt(request).text.includes('the gate')
              ? ['touch checked', 'holdfast advance']
              : [];
          default:
            return ['holdfast advance'];
        }
      }),
    );
    await holdfast(host, ['trust', 'release', '--yes']);
    const words = ['--template', 'release', '--json', '--allow', 'Bash'];
    const first = await drive(version, host, words);
    expect(first.stderr).toContain('waits for your approval');
    expect(first.code).toBe(3);
    expect(onlyRun(root)).toMatchObject({
      machine: { step: 'sign', outputs: { plan: 'planned' } },
    });

    const requests = host.model.turns();
    const asked = (text: string) =>
      requests.filter((request) => given(request).includes(text));
    // Every fresh or compacted conversation begins with the guidance of its step.
    expect(asked('CHECK-IT').length).toBeGreaterThan(0);
    expect(asked('POLISH-IT').length).toBeGreaterThan(0);
    expect(asked('REVIEW-IT').length).toBeGreaterThan(0);
    expect(asked('Delegate this step')).toEqual([]);
    const sessions = [...new Set(requests.map(sessionOf))];
    const reviewed = requests.filter(({ system }) =>
      JSON.stringify(system).includes('Reads everything twice'),
    );
    expect(reviewed.length).toBeGreaterThan(0);
    expect(sessions.length).toBeGreaterThanOrEqual(4);
    const events = first.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const names = events.map(({ event }: { event: string }) => event);
    expect(names).toContain('compacted');
    expect(
      events.filter(
        ({ event, result }) => event === 'gate' && result === 'failed',
      ),
    ).toHaveLength(1);
    expect(checks).toBeGreaterThan(0);

    await holdfast(host, ['approve']);
    const second = await drive(version, host, ['release', '--allow', 'Bash']);
    expect(second).toMatchObject({ code: 0, stderr: '' });
    const name = archived(root).find((file) => file.endsWith('.json')) ?? '';
    const state = JSON.parse(
      readFileSync(`${root}/untracked/workflow-archive/${name}`, 'utf8'),
    );
    expect(state.status).toBe('completed');
  });

  const THREE = `name: Release
description: Ships it
steps:
  - {id: plan, type: action, instructions: PLAN-IT}
  - {id: build, type: action, context: clear, instructions: BUILD-IT, gate: grep -q build work}
  - {id: ship, type: action, context: compact, instructions: SHIP-IT}
`;

  /** A project whose agent leaves a line for each step, once, before it finishes it. */
  const openThree = async (context: TestContext) => {
    const host = await openHost(version, context, {
      git: true,
      files: {
        '.claude/settings.json': {},
        '.claude/holdfast/workflows/release.yaml': THREE,
      },
    });
    host.model.answerWith(
      worker((step) => [
        `grep -qx ${step} work || echo ${step} >> work`,
        'holdfast advance',
      ]),
    );
    await holdfast(host, ['trust', 'release', '--yes']);
    return host;
  };

  const finished = (root: string): string[] => {
    const folder = `${root}/untracked/workflow-archive`;
    const name =
      archived(root).find((file) => file.endsWith('.events.jsonl')) ?? '';
    return readFileSync(`${folder}/${name}`, 'utf8')
      .trim()
      .split('\n')
      .map((line): { event: string; finished?: string } => JSON.parse(line))
      .filter(({ event }) => event === 'advanced')
      .map((event) => event.finished ?? '');
  };

  const EVERY_STEP = [
    'step 1 of 3 (plan)',
    'step 2 of 3 (build)',
    'step 3 of 3 (ship)',
  ];

  /** Kills the driver or its client once this many events have come. */
  const killAfter = async (
    host: Host,
    words: readonly string[],
    events: number,
    who: 'driver' | 'client',
  ) => {
    const driving = await startDriving(version, host, [
      ...words,
      '--json',
      '--allow',
      'Bash',
    ]);
    const lines = () => driving.output().split('\n').length - 1;
    const over = driving.ended.then(() => 'over' as const);
    const tick = () =>
      new Promise<'tick'>((resolve) => setTimeout(resolve, 5, 'tick'));
    for (;;)
      if (lines() >= events || (await Promise.race([over, tick()])) === 'over')
        break;
    if (who === 'driver') driving.kill('SIGKILL');
    else {
      const [run] = driving.output().match(/release-\d+_\d+/) ?? [''];
      const file = host.project.path(
        'untracked/workflow-logs',
        run,
        'driver.json',
      );
      const pid = existsSync(file)
        ? JSON.parse(readFileSync(file, 'utf8')).client?.pid
        : undefined;
      if (typeof pid === 'number') killGroup(pid);
    }
    return driving.ended;
  };

  it.for(PLACES)(
    'does every step once if the driver is killed after event %d: %s',
    async ([events], context) => {
      const { expect } = context;
      const host = await openThree(context);
      const { root } = host.project;
      await killAfter(host, ['--template', 'release'], events, 'driver');
      const run = readdirSync(
        host.project.path('untracked/workflow-logs'),
      ).find((name) => name.startsWith('release-'));
      const result = await drive(version, host, [
        run ?? '',
        '--json',
        '--allow',
        'Bash',
      ]);
      // The client that was left behind may have finished the last step by then.
      if (result.code !== 0) expect(result.stderr).toContain('is completed');
      else expect(result.stderr).toBe('');
      expect(finished(root)).toEqual(EVERY_STEP);
      expect(readFileSync(host.project.path('work'), 'utf8')).toBe(
        'plan\nbuild\nship\n',
      );
    },
  );

  it.for(ONE_VERSION.includes(version) ? PLACES : [])(
    'does every step once if the client is killed after event %d: %s',
    async ([events], context) => {
      const { expect } = context;
      const host = await openThree(context);
      const result = await killAfter(
        host,
        ['--template', 'release'],
        events,
        'client',
      );
      expect(result.stderr).toBe('');
      expect(result.code).toBe(0);
      expect(finished(host.project.root)).toEqual(EVERY_STEP);
      expect(readFileSync(host.project.path('work'), 'utf8')).toBe(
        'plan\nbuild\nship\n',
      );
    },
  );

  it.for(TROUBLES.filter(([, , , versions]) => versions.includes(version)))(
    'API trouble %s ends with exit code %d (%s)',
    async ([status, code, reason], context) => {
      const { expect, onTestFinished } = context;
      const host = await openThree(context);
      const server = await startTroubled(host.model.url, status, 3);
      onTestFinished(() => server.close());
      const result = await drive(
        version,
        host,
        ['--template', 'release', '--json', '--allow', 'Bash'],
        { ANTHROPIC_BASE_URL: server.url, CLAUDE_CODE_MAX_RETRIES: '0' },
      );
      const events = result.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(events.at(-1)).toMatchObject({
        event: 'stopped',
        reason,
        exit_code: code,
      });
      expect(result.code).toBe(code);
      if (code === 0) expect(finished(host.project.root)).toEqual(EVERY_STEP);
    },
  );

  it('a connection that is refused is tried again, then the run stops and can go on', async (context) => {
    const { expect } = context;
    const host = await openThree(context);
    const words = ['--json', '--allow', 'Bash'];
    const result = await drive(
      version,
      host,
      ['--template', 'release', ...words],
      {
        ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
        CLAUDE_CODE_MAX_RETRIES: '0',
        HOLDFAST_RUN_TIMING: '10,60000',
      },
    );
    expect(result.code).toBe(1);
    expect(result.stdout).toContain('"why":"connection"');
    expect(await drive(version, host, ['release', ...words])).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  it('a stream that hangs is interrupted when the step has used its time', async (context) => {
    const { expect } = context;
    const host = await openThree(context);
    host.model.answerWith(() => new Promise(() => undefined));
    const result = await drive(version, host, [
      '--template',
      'release',
      '--step-time',
      '8s',
      '--json',
    ]);
    expect(result.code).toBe(4);
    expect(onlyRun(host.project.root)).toMatchObject({
      machine: { step: 'plan' },
    });
  });

  it('Ctrl-C interrupts the step, and the same command goes on', async (context) => {
    const { expect } = context;
    const host = await openThree(context);
    host.model.answerWith(worker(() => ['sleep 60']));
    const driving = await startDriving(version, host, [
      '--template',
      'release',
      '--json',
      '--allow',
      'Bash',
    ]);
    while (!driving.output().includes('sleep 60'))
      await new Promise((resolve) => setTimeout(resolve, 20));
    driving.kill('SIGINT');
    expect(await driving.ended).toMatchObject({ code: 130 });
    host.model.answerWith(
      worker((step) => [`echo ${step} >> work`, 'holdfast advance']),
    );
    expect(
      await drive(version, host, ['release', '--allow', 'Bash']),
    ).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(readFileSync(host.project.path('work'), 'utf8')).toBe(
      'plan\nbuild\nship\n',
    );
  });

  it('a denied tool stops it with the flag that allows the tool, and the budget with exit code 4', async (context) => {
    const { expect } = context;
    const host = await openThree(context);
    host.model.answerWith(worker(() => ['touch outside']));
    const denied = await drive(version, host, [
      '--template',
      'release',
      '--permission-mode',
      'default',
    ]);
    expect(denied.code).toBe(1);
    expect(denied.stderr).toContain("--allow 'Bash(touch outside:*)'");
    host.model.answerWith(worker(() => ['holdfast advance']));
    const poor = await drive(version, host, ['release', '--max-cost', '0.001']);
    expect(poor.code).toBe(4);
  });

  it('an agent that never moves the run is asked once more, by a report too, then the step fails', async (context) => {
    const { expect } = context;
    const host = await openThree(context);
    host.model.answerWith(worker(() => []));
    const result = await drive(version, host, [
      '--template',
      'release',
      '--json',
    ]);
    expect(result.code).toBe(1);
    expect(onlyRun(host.project.root)).toMatchObject({ status: 'failed' });
    const tools = host.model
      .turns()
      .map((request) => (request.tools ?? []).map(({ name }) => name));
    expect(tools.at(-1)).toContain('StructuredOutput');
  });
});

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
