import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sandbox, type Sandbox } from '../support/cli.ts';
import { hook, sessionStart } from '../support/hooks.ts';
import { makeHeldPipe } from '../support/held-pipe.ts';
import { openServer, type McpServer } from '../support/mcp.ts';
import { archived, onlyRun, stateFiles } from '../support/state.ts';

const FOLDER = '.claude/holdfast/workflows';

const TOOLS = [
  'workflow_start',
  'workflow_status',
  'workflow_set_tasks',
  'workflow_advance',
  'workflow_complete',
  'workflow_fail',
  'workflow_note',
  'workflow_context',
  'prime_context',
  'update_todo_list',
];

const release = `name: Release
description: Ships it
steps:
  - {id: plan, type: action, instructions: Plan it}
  - {id: build, type: loop, context: compact}
  - {id: polish, type: ralph, n: 2, context: clear, instructions: Polish it}
  - {id: ship, type: action, instructions: Ship it}
loops:
  build:
    - {id: code, instructions: 'Code {task.title}', on_fail: retry}
`;

const compactFirst = `name: Tidy
description: Begins with a compaction
steps:
  - {id: one, type: action, context: compact, instructions: Do one}
  - {id: two, type: action, context: clear, instructions: Do two}
  - {id: three, type: action, instructions: Do three}
`;

const gatedBy = (gate: string): string =>
  release.replace(
    'instructions: Plan it',
    `instructions: Plan it, gate: "${gate}"`,
  );

const project = (): Sandbox =>
  sandbox({
    [`${FOLDER}/release.yaml`]: release,
    [`${FOLDER}/tidy.yaml`]: compactFirst,
    [`${FOLDER}/asks.yaml`]: `inputs: {area: {required: true}}\n${release.replace('Release', 'Asks')}`,
  });

const asks = (command: string): object => ({
  contextAction: command,
  message: expect.stringMatching(
    `^Please run \`${command}\` first, then call workflow_status again\\. Only the user can type it`,
  ),
});

const cleared = (box: Sandbox, before: string, after: string): string => {
  hook(box, 'sessionend-clear', { session_id: before });
  return sessionStart(box, after, 'clear').context;
};

describe.each(['initialize', 'discover'] as const)(
  'a client that opens with %s',
  (era) => {
    test('is led through a whole template, each action asked for once for each entry', async () => {
      const box = project();
      const { ask, reply } = await openServer(box, { session: 's1', era });
      const { tools } = (await ask('tools/list')) as {
        tools: { name: string }[];
      };
      expect(tools.map(({ name }) => name)).toEqual(TOOLS);
      expect(JSON.stringify(tools).length).toBeLessThan(4_200);

      expect(
        await reply('workflow_start', {
          template: 'release',
          summary: 'the shop',
        }),
      ).toEqual({
        message: expect.stringMatching(/^Started the-shop-\d{8}_\d{6}\.$/),
        status: 'running',
        step: 'plan',
        stepType: 'action',
        agent: null,
        delegate: false,
        instructions: 'Plan it',
        progress: {
          currentStep: 1,
          totalSteps: 4,
          completedTasks: 0,
          totalTasks: 0,
          text: 'step 1 of 4 (plan)',
        },
        artefacts: {},
        run: expect.stringMatching(/^the-shop-/),
        workflow: 'the shop',
      });
      expect(
        await reply('workflow_advance', {
          output: 'two parts',
          artefacts: ['docs/plan.md'],
        }),
      ).toMatchObject({
        message: 'Finished step 1 of 4 (plan).',
        step: 'build',
        instructions: expect.stringContaining(
          'workflow_set_tasks (loop_id "build")',
        ),
        artefacts: { plan: ['docs/plan.md'] },
      });
      const tasks = [
        'Basket',
        { id: 'pay', title: 'Payment', description: 'by card' },
      ];
      expect(
        await reply('workflow_set_tasks', { loop_id: 'build', tasks }),
      ).toEqual(asks('/compact'));
      expect(await reply('workflow_status')).toMatchObject({
        task: { index: 0, title: 'Basket' },
        subStep: 'code',
        instructions: 'Code Basket',
        context:
          '/compact was asked for; it has not happened yet. Only the user can type it.',
      });
      expect(
        await reply('workflow_advance', { output: 'basket done' }),
      ).toEqual(asks('/compact'));
      expect(
        await reply('workflow_fail', { reason: 'the tests are red' }),
      ).toMatchObject({
        message: expect.stringContaining('is tried again (retry 1 of 3).'),
        task: { id: 'pay' },
        instructions: 'Code Payment',
      });
      expect(await reply('workflow_advance')).toEqual(asks('/clear'));
      expect(await reply('workflow_status')).toMatchObject({
        ralphIteration: 1,
        ralphTotal: 2,
      });
      expect(await reply('workflow_advance')).toEqual(asks('/clear'));
      expect(await reply('workflow_advance')).toMatchObject({ step: 'ship' });
      expect(await reply('workflow_context')).toEqual({
        run: expect.stringMatching(/^the-shop-/),
        workflow: 'the shop',
        summary: 'the shop',
        outputs: { plan: 'two parts', 'build.1.code': 'basket done' },
        artefacts: { plan: ['docs/plan.md'] },
      });
      expect(await reply('workflow_advance')).toMatchObject({
        message: expect.stringMatching(
          /^Finished step 4 of 4 \(ship\)\. The workflow is complete; its record is in untracked\/workflow-archive\/the-shop-.*\.json\.$/,
        ),
        status: 'complete',
        instructions: '',
      });
      expect(stateFiles(box.root)).toEqual([]);
      expect(archived(box.root)).toHaveLength(2);
    });
  },
);

test('a client gets nothing on standard output but the protocol', async () => {
  const server = await openServer(
    sandbox({ '.claude/holdfast.json': '{"odd": 1}' }),
  );
  server.tell('this is no JSON');
  await server.call('workflow_status');
  await server.call('workflow_start', { name: 'Shop' });
  expect(server.lines.every((line) => JSON.parse(line).jsonrpc === '2.0')).toBe(
    true,
  );
  expect(server.stderr()).toContain('odd');
  expect(await server.end()).toBe(0);
});

describe('workflow_start', () => {
  test('without a name or a template runs the default one; a second time starts nothing and returns its state', async () => {
    const box = sandbox();
    const { reply, refusal } = await openServer(box, { session: 's1' });
    expect(
      await reply('workflow_start', { template: null, name: '' }),
    ).toMatchObject({
      workflow: 'Default',
      step: 'plan',
    });
    expect(
      await reply('workflow_start', { template: 'default' }),
    ).toMatchObject({
      message: expect.stringContaining('Nothing was started.'),
      step: 'plan',
    });
    expect(onlyRun(box.root).sessions?.current_session_id).toBe('s1');
    expect(await refusal('workflow_start', { name: 'Shop' })).toMatch(
      /^this session already works on default-.*; workflow_status shows where it stands/,
    );
  });

  test('with only a name creates a run without steps, which advances by phases', async () => {
    const box = sandbox();
    const { reply } = await openServer(box, { session: 's1' });
    expect(
      await reply('workflow_start', { name: 'Shop', summary: 'a new one' }),
    ).toMatchObject({
      status: 'in_progress',
      phase: { current: 1, total: 1, status: 'in_progress' },
      workflow: 'Shop',
    });
    box.run(
      [
        'update',
        '--phase',
        '1/2',
        '--read',
        'docs/rules.md',
        '--remind',
        'no haste',
      ],
      {
        session: 's1',
      },
    );
    expect(await reply('workflow_advance', { output: 'half' })).toMatchObject({
      message: 'Finished phase 1/2.',
      phase: { current: 2, total: 2 },
      requiredReading: [{ path: '@docs/rules.md', state: 'missing' }],
      keyReminders: ['no haste'],
    });
    expect(await reply('workflow_context')).toMatchObject({
      context: { summary: 'a new one' },
      outputs: { '1': 'half' },
    });
    expect(await reply('workflow_fail', { reason: 'no key' })).toMatchObject({
      message: expect.stringContaining('Phase 2/2 is blocked'),
      reason: 'no key',
      phase: { status: 'blocked' },
    });
  });
});

describe('a refusal says what to do', () => {
  const REFUSED: [tool: string, given: object, words: string][] = [
    [
      'workflow_status',
      {},
      'no active workflow here; start one with workflow_start',
    ],
    [
      'workflow_start',
      { template: 'release', name: 'x' },
      'name of workflow_start must be left out if template is given; describe the run in summary; nothing was changed; correct it and call the tool again',
    ],
    [
      'workflow_start',
      { template: 'release', phases: ['A'] },
      'phases of workflow_start must be',
    ],
    [
      'workflow_start',
      { template: 'asks' },
      '`holdfast start --template asks --set area=<value>`',
    ],
    [
      'workflow_advance',
      { outputs: 'x' },
      'unknown argument "outputs" for workflow_advance; available: output, artefacts, name, run',
    ],
    [
      'workflow_set_tasks',
      { loop_id: 'build', tasks: [{ name: 'x' }] },
      'unknown argument "tasks[0].name" for workflow_set_tasks; available: tasks[0].id, tasks[0].title, tasks[0].description, tasks[0].status',
    ],
    [
      'workflow_set_tasks',
      { loop_id: 'build', tasks: 'x' },
      'tasks of workflow_set_tasks must be',
    ],
    [
      'workflow_fail',
      { reason: ' ' },
      'reason of workflow_fail must be text that is not blank; ',
    ],
    [
      'workflow_stop',
      {},
      `there is no tool "workflow_stop"; available: ${TOOLS.join(', ')}`,
    ],
  ];

  test('to a call that is wrong or comes too early, and nothing has changed', async () => {
    const box = project();
    const { refusal } = await openServer(box, { session: 's1' });
    for (const [tool, given, words] of REFUSED)
      expect(
        await refusal(tool, given),
        `${tool} ${JSON.stringify(given)}`,
      ).toContain(words);
    expect(stateFiles(box.root)).toEqual([]);
  });

  test('to a session that has no run of its own, which may name a free one', async () => {
    const box = sandbox();
    box.run(['start', 'Free', '--phases', 'A,B,C']);
    const { reply, refusal } = await openServer(box, { session: 's1' });
    const { run_id: runId } = onlyRun(box.root);
    for (const [tool, given] of [
      ['workflow_advance', {}],
      ['workflow_fail', { reason: 'x' }],
    ] as const)
      expect(await refusal(tool, given)).toBe(
        `this session has no run of its own, so nothing was changed; in progress here: ${runId}; if one of them is meant, call the tool again with run "${runId}"; else start one of your own with workflow_start`,
      );
    expect(onlyRun(box.root)).toMatchObject({
      revision: 1,
      phase: { current: 1 },
    });
    await reply('workflow_advance', { run: runId });
    await reply('workflow_advance');
    expect(onlyRun(box.root)).toMatchObject({
      phase: { current: 3 },
      sessions: { current_session_id: 's1' },
    });
  });

  test('a gate that fails shows its output, and nothing has moved', async () => {
    const gated = gatedBy("echo 'no plan <system-reminder>'; exit 3");
    const box = sandbox({ [`${FOLDER}/release.yaml`]: gated });
    const { reply, refusal } = await openServer(box, { session: 's1' });
    await reply('workflow_start', { template: 'release' });
    expect(await refusal('workflow_advance')).toContain(
      'is not trusted to run commands here',
    );
    box.run(['trust', 'release', '--yes']);
    expect(await refusal('workflow_advance')).toMatch(
      /^the gate failed with exit code 3: .*\n\nno plan &lt;system-reminder>\s*$/,
    );
    expect(await reply('workflow_status')).toMatchObject({ step: 'plan' });
  });
});

test.each<[string, (server: McpServer) => unknown]>([
  ['goes', (server) => server.end()],
  [
    'cancels the call',
    (server) =>
      server.tell(
        JSON.stringify({
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: { requestId: 99 },
        }),
      ),
  ],
])(
  'a client that %s while a gate runs ends the gate, and nothing has moved',
  async (_how, give) => {
    const gated = gatedBy('exec 9>pipe; sleep 600');
    const box = sandbox({ [`${FOLDER}/release.yaml`]: gated });
    const pipe = makeHeldPipe(join(box.root, 'pipe'));
    box.run(['trust', 'release', '--yes']);
    const server = await openServer(box, { session: 's1' });
    await server.reply('workflow_start', { template: 'release' });
    const params = { name: 'workflow_advance', arguments: {} };
    server.tell(
      JSON.stringify({ jsonrpc: '2.0', id: 99, method: 'tools/call', params }),
    );
    await pipe.held();
    await give(server);
    await pipe.free();
    expect(onlyRun(box.root).machine).toMatchObject({ step: 'plan' });
  },
);

describe('commands, hooks and servers work on the same run', () => {
  test('what one of them has requested is not requested again by another, and a compaction performs it', async () => {
    const box = project();
    const { reply } = await openServer(box, { session: 's1' });
    expect(await reply('workflow_start', { template: 'tidy' })).toEqual(
      asks('/compact'),
    );
    expect(box.run(['status'], { session: 's1' }).stdout).toContain('Do one');
    expect(sessionStart(box, 's1', 'compact').context).toContain('Do one');
    expect(await reply('workflow_status')).toMatchObject({
      instructions: 'Do one',
      context: 'The context was compacted or cleared before this step.',
    });
    box.run(['advance'], { session: 's1' });
    expect(await reply('workflow_status')).toMatchObject({
      instructions: 'Do two',
    });
    expect(box.json(['status'], { session: 's1' })).toMatchObject({
      step: { instructions: 'Do two' },
      context_action: { command: '/clear', state: 'requested' },
    });
  });

  test('of two concurrent requests one gets the context action; two moves finish two steps, or one is refused as too late', async () => {
    const box = project();
    const first = await openServer(box, { session: 's1' });
    const second = await openServer(box, { session: 's1', era: 'discover' });
    await first.reply('workflow_start', { template: 'tidy' });
    const file = join(box.root, stateFiles(box.root)[0] ?? '');
    for (let round = 1; round <= 3; round += 1) {
      const state = readFileSync(file, 'utf8');
      writeFileSync(
        file,
        state.replace(
          '"contextActionExecuted": true',
          '"contextActionExecuted": false',
        ),
      );
      const answers = await Promise.all([
        first.reply('workflow_status'),
        second.reply('workflow_status'),
      ]);
      expect(answers).toContainEqual(asks('/compact'));
      expect(answers).toContainEqual(
        expect.objectContaining({ instructions: 'Do one' }),
      );
    }
    const moves = await Promise.all([
      first.call('workflow_advance'),
      second.call('workflow_advance'),
    ]);
    const late = moves.filter(({ isError }) => isError).map(({ text }) => text);
    expect(onlyRun(box.root).machine).toMatchObject({
      step: late.length === 0 ? 'three' : 'two',
    });
    for (const text of late)
      expect(text).toContain('workflow_status shows where it stands now');
  });
});

describe('update_todo_list', () => {
  test('replaces the list of the project, but no other text, and returns the lines that others wrote', async () => {
    const box = sandbox();
    const { reply, refusal } = await openServer(box, { session: 's1' });
    await reply('workflow_start', { name: 'Shop' });
    expect(
      await reply('update_todo_list', { content: '- [x] one\n- [ ] two\n' }),
    ).toMatchObject({
      done: 1,
      total: 2,
    });
    expect(readFileSync(join(box.root, 'TODO.md'), 'utf8')).toBe(
      '- [x] one\n- [ ] two\n',
    );
    writeFileSync(join(box.root, 'TODO.md'), '- [x] one\n- [ ] mine\n');
    const content = '- [x] one\n- [x] two\n';
    expect(await reply('update_todo_list', { content })).toMatchObject({
      message: expect.stringContaining('call update_todo_list again'),
      done: 2,
      lost: ['- [ ] mine'],
    });
    expect(readFileSync(join(box.root, 'TODO.md'), 'utf8')).toBe(content);
    expect(
      await reply('update_todo_list', { content, run: 'shop' }),
    ).not.toHaveProperty('lost');
    expect(
      await refusal('update_todo_list', { content, run: 'none' }),
    ).toContain('none');
    writeFileSync(join(box.root, 'TODO.md'), 'notes\n');
    expect(await refusal('update_todo_list', { content })).toContain('TODO.md');
    expect(readFileSync(join(box.root, 'TODO.md'), 'utf8')).toBe('notes\n');
  });
});

describe('prime_context', () => {
  const artifacts = `critical_artifacts:
  always_load:
    - {id: spec, type: markdown, path: docs/spec.md, required: true, reload_triggers: [manual]}
    - {id: rules, type: markdown, path: docs/rules.md, reload_triggers: ['phase_start:build']}
`;
  const documents = {
    'docs/spec.md': 'THE-SPEC\n',
    'docs/rules.md': 'THE-RULES\n',
  };

  async function primable(tree: Record<string, string>) {
    const box = sandbox({
      [`${FOLDER}/release.yaml`]: `${release}${artifacts}`,
      ...tree,
    });
    const server = await openServer(box, { session: 's1' });
    await server.reply('workflow_start', { template: 'release' });
    return { box, ...server };
  }

  test('brings the artifacts, those that were just brought only by name, and at a move what it triggers', async () => {
    const { box, reply, refusal } = await primable(documents);
    expect(await reply('prime_context')).toEqual({
      run: expect.stringMatching(/^release-/),
      text: expect.stringMatching(/THE-SPEC[^]*THE-RULES/),
    });
    expect(
      onlyRun(box.root).context_metadata?.artifacts_in_context,
    ).toMatchObject([
      { artifact_id: 'spec', load_trigger: 'manual' },
      { artifact_id: 'rules', load_trigger: 'manual' },
    ]);
    expect(await reply('prime_context')).toMatchObject({
      text: 'Nothing to load.',
    });
    const { text } = await reply('prime_context', { artifacts: ['rules'] });
    expect(text).toContain('THE-RULES');
    expect(text).not.toContain('THE-SPEC');
    expect(await refusal('prime_context', { artifacts: ['sepc'] })).toBe(
      'this run has no artifact "sepc"; available: spec, rules',
    );
    writeFileSync(join(box.root, 'docs/rules.md'), 'OTHER-RULES\n');
    expect(await reply('workflow_advance')).toMatchObject({
      step: 'build',
      artifacts: expect.stringContaining('OTHER-RULES'),
    });
  });
});

describe('a server that outlives /clear', () => {
  test('goes on with the run for the session that took over', async () => {
    const box = project();
    const { reply } = await openServer(box, { session: 's1' });
    await reply('workflow_start', { template: 'tidy' });
    expect(await reply('workflow_advance')).toEqual(asks('/clear'));
    expect(cleared(box, 's1', 's2')).toContain('Do two');
    expect(await reply('workflow_status')).toMatchObject({
      context: '/clear was done before this step.',
    });
    expect(
      await reply('workflow_advance', { output: 'two is done' }),
    ).toMatchObject({
      step: 'three',
    });
    expect(onlyRun(box.root).sessions).toMatchObject({
      current_session_id: 's2',
      session_history: [
        { session_id: 's1' },
        { session_id: 's2', phases_completed: ['two'] },
      ],
    });
  });

  test('in a project that had no run yet, hooks and tools agree who the session is', async () => {
    const box = project();
    const { reply } = await openServer(box, { session: 's1' });
    cleared(box, 's1', 's2');
    await reply('workflow_start', { template: 'release' });
    expect(onlyRun(box.root).sessions?.current_session_id).toBe('s2');
    const env = { CLAUDE_PID: String(process.pid) };
    expect(sessionStart(box, 's2', 'compact', { env }).context).toContain(
      'Plan it',
    );
    await reply('workflow_advance');
    expect(onlyRun(box.root).sessions?.current_session_id).toBe('s2');
  });
});

describe('where it works', () => {
  test('in the project that the host was launched in, wherever it was started', async () => {
    const box = sandbox();
    const { reply } = await openServer(box, {
      cwd: box.home,
      env: { CLAUDE_PROJECT_DIR: join(box.root, '.git') },
    });
    await reply('workflow_start', { name: 'Shop' });
    expect(onlyRun(box.root).workflow).toBe('Shop');
  });
});

test('workflow_context cuts long outputs, keeps the latest, and says where all of them are', async () => {
  const box = sandbox();
  const { reply } = await openServer(box, { session: 's1' });
  await reply('workflow_start', { name: 'Shop' });
  expect(box.run(['update', '--phase', '1/7'], { session: 's1' }).code).toBe(0);
  await reply('workflow_advance', { output: 'first' });
  for (const _phase of [2, 3, 4, 5])
    await reply('workflow_advance', { output: 'x'.repeat(11_000) });
  await reply('workflow_advance', { output: 'y'.repeat(10_000) });
  const { run, outputs, leftOut } = await reply('workflow_context');
  const all = `\`holdfast show ${String(run)} --json\``;
  const long = `${'x'.repeat(9_999)}… (1001 more characters: ${all})`;
  expect(outputs).toEqual({
    '3': long,
    '4': long,
    '5': long,
    '6': 'y'.repeat(10_000),
  });
  expect(leftOut).toBe(`2 earlier outputs: ${all} shows them all`);
});
