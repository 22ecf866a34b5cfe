import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sandbox, type Sandbox } from '../support/cli.ts';
import { preCompact, sessionStart } from '../support/hooks.ts';
import { openServer } from '../support/mcp.ts';
import { onlyRun, stateFiles } from '../support/state.ts';

const FLOW = `name: Feature Flow
description: x
steps:
  - { id: plan, type: action, instructions: Plan it. }
  - { id: build, type: action, instructions: Build it., context: compact }
`;
const withFlow = (files: Record<string, string> = {}): Sandbox =>
  sandbox({ '.claude/holdfast/workflows/flow.yaml': FLOW, ...files });

const runId = (box: Sandbox): string => onlyRun(box.root).run_id ?? '';

describe('a skipped phase', () => {
  const started = (): Sandbox => {
    const box = sandbox();
    box.run(['start', 'Shop', '--phases', 'Design,Build,Docs,Ship']);
    return box;
  };

  test('is left with its reason, and marked in status and list as skipped', () => {
    const { run, json } = started();
    expect(
      run(['skip', '--phase', '3', '--reason', 'no docs yet']).stdout,
    ).toContain('Skipped phase 3/4 Docs: no docs yet.');
    const { stdout } = run(['skip', '--reason', 'designed before']);
    expect(stdout).toContain('Skipped phase 1/4 Design: designed before.');
    expect(run(['status']).stdout).toMatch(
      /Phases +↷ Design \(skipped\) {2}▸ Build {2}↷ Docs \(skipped\) {2}· Ship\nSkipped +1 - Design \(designed before\), 3 - Docs \(no docs yet\)/,
    );
    expect(run(['list']).stdout).toMatch(
      /2\/4 Build \(2 skipped\) +in progress/,
    );
    expect(json(['list'])).toMatchObject({
      runs: [
        {
          phase: { current: 2 },
          skipped: { '1': 'designed before', '3': 'no docs yet' },
        },
      ],
    });
    expect(run(['guidance']).stdout).toContain(
      'Skipped, not done: 1 - Design (designed before), 3 - Docs (no docs yet)',
    );
  });

  test('is passed over by advance, and never shown as done', () => {
    const { run } = started();
    run(['skip', '--phase', '2', '--reason', 'x']);
    run(['advance']);
    expect(run(['status']).stdout).toContain(
      '✓ Design  ↷ Build (skipped)  ▸ Docs  · Ship',
    );
  });

  test('needs no reason, is named by a number ahead, and is no step with a gate', () => {
    const { run, json } = started();
    for (const [phase, code, message] of [
      ['9', 1, 'there is no phase 9: this run has 4 phases'],
      ['0', 1, 'there is no phase 0'],
      ['Docs', 2, '--phase'],
    ] as const)
      expect(run(['skip', '--phase', phase], { code }).stderr).toContain(
        message,
      );
    expect(json(['list'])).toMatchObject({ runs: [{ skipped: {} }] });
    expect(run(['skip', '--phase', '2']).stdout).toContain(
      'Skipped phase 2/4 Build.',
    );
    expect(run(['guidance']).stdout).toContain(
      'Skipped, not done: 2 - Build\n',
    );
    run(['advance']);
    expect(
      run(['skip', '--phase', '1', '--reason', 'x'], { code: 1 }).stderr,
    ).toContain('is over');
    const gated = withFlow({
      '.claude/holdfast/workflows/flow.yaml': FLOW.replace(
        'Plan it.',
        "Plan it., gate: 'true'",
      ),
    });
    gated.run(['start', '--template', 'flow']);
    expect(gated.run(['skip', '--reason', 'x'], { code: 1 }).stderr).toContain(
      'gate',
    );
  });
});

describe('a state file that cannot be read', () => {
  const path = 'untracked/workflow-state/bad/state-bad-20260101_000000.json';

  test('is named instead of another start', () => {
    const { run } = sandbox({ [path]: '{' });
    for (const [words, message] of [
      ['advance', 'no active workflow here'],
      ['history', 'no active workflow here'],
      ['run', 'no active workflow here'],
      ['resume', 'no active workflow here'],
      ['show bad', 'no run is named "bad"'],
      ['resume bad', 'no run is named "bad"'],
      ['reopen bad', 'no run is named "bad"'],
    ] as const) {
      const { stderr } = run(words.split(' '), { code: 1 });
      const [before, after] = stderr.trimEnd().split(path);
      expect(before, words).toBe(`holdfast: ${message}; `);
      expect(after).toMatch(
        /^ cannot be read: .*; `holdfast doctor` says how to repair it$/,
      );
    }
  });

  test('does not hide the other runs', () => {
    const box = sandbox({
      [path]: '{',
      [path.replace('.json', '-2.json')]: '{',
      'untracked/workflow-archive/x.json': '{',
      'untracked/workflow-state/shop/state-shop-20260101_000000.json':
        '{"workflow": "Shop", "phase": "1/2 - A"}',
    });
    expect(box.run(['show', 'bad'], { code: 1 }).stderr).toMatch(
      /, and 2 more cannot be read; `holdfast doctor` says how to repair them; available: shop-20260101_000000\n$/,
    );
  });
});

describe('a state file that was set aside', () => {
  test('is mentioned to the user once, and in status and list until it is gone', () => {
    const box = sandbox({
      'untracked/workflow-state/bad/state-bad-20260101_000000.json': '{no',
    });
    box.run(['start', 'Shop', '--phases', 'A,B'], { session: 's1' });
    preCompact(box, 's1');
    const told = sessionStart(box, 's1', 'compact').userLine;
    expect(told).toMatch(
      /state-bad-\S+ could not be read .* and was moved aside/,
    );
    expect(sessionStart(box, 's1', 'resume').userLine).not.toContain(
      'state-bad',
    );
    const aside =
      /Unreadable state files, set aside\n {2}\S+state-bad-\S+\.corrupt-\S+: repair it/;
    expect(box.run(['status']).stdout).toMatch(aside);
    expect(box.run(['list']).stdout).toMatch(aside);
    for (const command of ['status', 'list'])
      expect(box.json([command])).toMatchObject({
        set_aside: [
          expect.stringContaining('state-bad-20260101_000000.json.corrupt-'),
        ],
      });
  });
});

test('the template of a run is named beside its topic, in status and guidance', () => {
  const box = withFlow();
  box.run(['start', '--template', 'flow', 'search box']);
  expect(runId(box)).toMatch(/^search-box-\d+_\d+$/);
  expect(box.run(['status']).stdout).toMatch(
    /^Workflow search box\nTemplate +Feature Flow\n/,
  );
  expect(box.run(['guidance']).stdout).toContain(
    '\nWorkflow: search box\nTemplate: Feature Flow\n',
  );
  expect(preCompact(box, 's1').stdout).toContain(
    'Workflow: search box (template Feature Flow)',
  );
  const plain = sandbox();
  plain.run(['start', 'Shop']);
  expect(
    plain.run(['status']).stdout + plain.run(['guidance']).stdout,
  ).not.toContain('Template');
});

describe('files in the guidance', () => {
  test('are named by paths that can be opened, from wherever they were given', () => {
    const box = withFlow({ 'docs/spec.md': 'spec', 'pkg/notes.md': 'notes' });
    const cwd = join(box.root, 'pkg');
    box.run(
      [
        'start',
        'Shop',
        '--read',
        'notes.md',
        '--artifact',
        'spec=../docs/spec.md',
        '--phases',
        'A,B',
      ],
      { cwd },
    );
    box.run(['advance', '--artefact', 'notes.md'], { cwd });
    const { stdout } = box.run(['guidance']);
    expect(stdout).toContain('@pkg/notes.md (content below)');
    expect(stdout).toContain('- spec: docs/spec.md');
    expect(stdout).toContain('- files of phase 1: pkg/notes.md');
    expect(stdout).not.toContain('{project_root}');
  });
});

describe('the command that finishes a phase', () => {
  test('names the run where another one is active, and then moves this one', () => {
    const box = sandbox();
    box.run(['start', 'Shop', '--phases', 'A,B'], { session: 's1' });
    const id = runId(box);
    const alone = box.run(['guidance'], { session: 's1' }).stdout;
    expect(alone).toMatch(/When done: holdfast advance(?! shop)/);
    box.run(['start', 'Blog', '--phases', 'A,B']);
    const next = new RegExp(`holdfast advance ${id}`);
    expect(box.run(['guidance', id]).stdout).toMatch(next);
    const { stdout } = box.run(['guidance', id]);
    const [, words = ''] =
      /When done: holdfast (advance \S+)/.exec(stdout) ?? [];
    expect(box.run(words.split(' ')).code).toBe(0);
    expect(box.json(['show', id])).toMatchObject({
      run: { phase: { current: 2 } },
    });
  });

  test('names the run where another workflow is declared and not stored yet', () => {
    const box = sandbox({
      'CLAUDE.local.md':
        '## Workflow State\nWorkflow: Blog\nPhase: 1/2 - Draft\n',
    });
    const { stdout } = box.run(['start', 'Shop', '--phases', 'A,B']);
    const [, words = ''] =
      /is done: holdfast (advance shop-\S+)/.exec(stdout) ?? [];
    expect(box.run(words.split(' '))).toMatchObject({ code: 0, stderr: '' });
  });
});

test.each([
  [{ session: 's1' }, (id: string): string => `holdfast resume ${id}`],
  [{}, (id: string): string => `workflow_status {"run":"${id}"}`],
])(
  'workflow_start returns a run of the template that nobody holds instead of a second one: %j',
  async (caller, continuation) => {
    const box = withFlow();
    box.run(['start', '--template', 'flow', 'search box']);
    const id = runId(box);
    const { reply } = await openServer(box, caller);
    expect(
      await reply('workflow_start', { template: 'flow', summary: 'login' }),
    ).toMatchObject({
      run: id,
      step: 'plan',
      message: expect.stringContaining(`\`${continuation(id)}\` continues it`),
    });
    expect(stateFiles(box.root)).toHaveLength(1);
    expect(
      await reply('workflow_start', {
        template: 'flow',
        summary: 'login',
        new: true,
      }),
    ).toMatchObject({ workflow: 'login' });
  },
);

test('workflow_start returns the run that the session has, and starts named phases', async () => {
  const { reply } = await openServer(withFlow(), { session: 's1' });
  await reply('workflow_start', { template: 'flow', summary: 'login' });
  expect(await reply('workflow_start', { template: 'flow' })).toMatchObject({
    message: expect.stringContaining('Nothing was started.'),
  });
  const other = await openServer(withFlow(), { session: 's1' });
  expect(
    await other.reply('workflow_start', { name: 'Shop', phases: ['A', 'B'] }),
  ).toMatchObject({
    phase: { current: 1, total: 2, name: 'A' },
  });
});

test('of many other runs status shows the latest, and where the rest is', () => {
  const state = (n: number) =>
    `{"workflow":"Old ${n}","phase":{"current":1,"total":2,"name":"A"}}`;
  const path = (n: number) =>
    `untracked/workflow-state/old-${n}/state-old-${n}-20260101_000000.json`;
  const files = Array.from({ length: 23 }, (_, n) => [path(n), state(n)]);
  const { run, json } = sandbox(Object.fromEntries(files));
  const { stdout } = run(['status']);
  expect(stdout.match(/^ {2}old-\d+-/gm)).toHaveLength(20);
  expect(stdout).toContain('\n  … 2 more: holdfast list\n');
  expect(json(['status'])).toMatchObject({ others: { length: 22 } });
});
