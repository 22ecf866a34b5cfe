import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { sandbox } from '../support/cli.ts';
import { archived, onlyRun, stateFiles } from '../support/state.ts';
import { stories, using } from '../support/story.ts';

stories(
  '',
  `
# without a command shows the run with its phases, the next command and where the hooks are registered
$ start Shop --phases Design,Build
$ init
$
  > ▸ Design
  > Next: holdfast advance
  > Hooks    registered in …settings.local.json
# advance moves to the next phase, keeps the output, and records the phase in the session
${using({ 'out.txt': 'x' })}
s1$ start W --phases A,B
s1$ advance --output - --artefact out.txt < from stdin
  = phase {"current":2,"total":2,"name":"B","status":"in_progress"}
  = outputs.1.text "from stdin"
  = outputs.1.artefacts ["out.txt"]
  = sessions.session_history.0.phases_completed ["A"]
# update changes the given fields and keeps the rest
${using({ 'a.md': '', 'b.md': '' })}
$ start W --phases A,B,C --read a.md --remind one --set k=v
$ update --phase 3 --status blocked --read b.md --remind two --set n=1
  = phase {"current":3,"total":3,"name":"C","status":"blocked"}
  = required_reading ["@a.md","@b.md"]
  = key_reminders ["one","two"]
  = context {"k":"v","n":1}
  = revision 2
$ update --unread a.md --forget one --unset k --phase 2/5 --name Mine
  = phase.current 2
  = phase.total 5
  = phase.name "Mine"
  = phase.status "in_progress"
  = required_reading ["@b.md"]
  = key_reminders ["two"]
  = context {"n":1}
# update refuses an unknown entry and lists the existing ones
$ start W --phases A --remind "keep it" --set k=v
$ update --forget other
  ! keep it
$ update --unset x
  ! available: k
$ update --phase 4
  ! this run has 1
`,
);

test('a run that has ended is archived with its journal, and --purge keeps nothing', () => {
  const { root, run } = sandbox();
  run(['start', 'W', '--phases', 'A']);
  expect(run(['advance']).stdout).toContain('Completed W');
  expect(existsSync(join(root, 'untracked/workflow-state/w'))).toBe(false);
  const names = archived(root).map((name) => name.replace(/\d{8}_\d{6}/, 'T'));
  expect(names).toEqual(['w-T.events.jsonl', 'w-T.json']);
  run(['start', 'Gone']);
  run(['complete', '--purge']);
  expect(archived(root)).toHaveLength(2);
  expect(stateFiles(root)).toEqual([]);
});

test('a new run has begun for its first session, and is restored for the next', () => {
  const { run } = sandbox();
  run(['start', 'W', '--phases', 'A,B']);
  expect(run(['resume', 'w'], { session: 's1' }).stdout).toContain(
    '✅ Workflow begun: W, Phase 1/2',
  );
  run(['release'], { session: 's1' });
  expect(run(['resume', 'w'], { session: 's2' }).stdout).toContain(
    '✅ Workflow restored: W,',
  );
});

test('two runs of the same second have different names', () => {
  const { root, run } = sandbox();
  for (let count = 0; count < 3; count += 1) run(['start', 'Same']);
  expect(new Set(stateFiles(root)).size).toBe(3);
});

it('start makes a run with phase 1 in progress and prints its reading list', () => {
  const { root, run } = sandbox({ 'docs/spec.md': 'spec' });
  const { code, stdout, stderr } = run([
    'start',
    'User Auth',
    ...[
      '--type',
      'implementation',
      '--phases',
      'Design, Build,Review',
      '--read',
      'docs/spec.md',
    ],
    ...[
      '--remind',
      'keep the API stable',
      '--set',
      'budget=2 days',
      '--set',
      'ticket=42',
    ],
    ...['--artifact', 'spec_path=docs/spec.md'],
  ]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('@docs/spec.md');
  expect(onlyRun(root)).toMatchObject({
    workflow: 'User Auth',
    workflow_type: 'implementation',
    phase: { current: 1, total: 3, name: 'Design', status: 'in_progress' },
    phases: ['Design', 'Build', 'Review'],
    required_reading: ['@docs/spec.md'],
    key_reminders: ['keep the API stable'],
    context: { budget: '2 days', ticket: 42 },
    artifacts: { spec_path: '{project_root}/docs/spec.md' },
    status: 'in_progress',
    revision: 1,
    adopted: true,
    source: { kind: 'cli' },
  });
  expect(stateFiles(root)[0]).toMatch(
    /^untracked\/workflow-state\/user-auth\/state-user-auth-\d{8}_\d{6}\.json$/,
  );
  expect(
    readFileSync(join(root, 'untracked/workflow-state/.gitignore'), 'utf8'),
  ).toBe('*\n');
});

it('start takes paths relative to the current folder and stores them relative to the project root', () => {
  const { root, run } = sandbox({ 'pkg/notes.md': 'n', 'docs/spec.md': 's' });
  const cwd = join(root, 'pkg');
  expect(
    run(
      [
        'start',
        'W',
        '--read',
        'notes.md',
        '--read',
        'docs/spec.md',
        '--read',
        '@a b.md',
      ],
      {
        cwd,
      },
    ).code,
  ).toBe(0);
  expect(onlyRun(root).required_reading).toEqual([
    '@pkg/notes.md',
    '@docs/spec.md',
    '@a b.md',
  ]);
});

it('holdfast alone says how to start and that the hooks are missing, and writes nothing', () => {
  const { root, run, json } = sandbox();
  expect(run([])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /holdfast start[^]*Hooks {4}not installed[^]*holdfast init/,
    ),
  });
  expect(json([])).toMatchObject({ run: null, hooks: [] });
  expect(existsSync(join(root, 'untracked'))).toBe(false);
});

it('wrong usage exits with 2, with a sentence on stderr and nothing on stdout', () => {
  const { run } = sandbox();
  run(['start', 'W']);
  for (const words of [
    ['update'],
    ['fail'],
    ['update', '--phase', 'two'],
    ['update', '--status', 'sleeping'],
    ['update', '--set', 'novalue'],
    ['start', 'X', '--type', 'wrong'],
    ['start', 'X', '--phases', ' , '],
    ['start', '  '],
    ['nonsense'],
    ['status', '--nope'],
  ]) {
    const { stderr, stdout } = run(words, { code: 2 });
    expect(stderr, words.join(' ')).not.toBe('');
    expect(stdout, words.join(' ')).toBe('');
  }
});

it('list shows runs, and archived ones with --all, with ids that a pipe does not cut', () => {
  const { run, json } = sandbox();
  run([
    'start',
    'A workflow with a name that goes on and on and on, as names do',
    '--phases',
    'A phase of some length,B',
  ]);
  run(['start', '日本語のワークフロー'], { session: 'ses-1' });
  run(['start', 'Old']);
  run(['complete', 'old']);
  const { stdout } = run(['list', '--all']);
  expect(stdout).toMatch(/^ *a-workflow-with-a-name-\S+-\d{8}_\d{6} /m);
  expect(json(['list'])).toMatchObject({ runs: [{}, {}] });
  expect(json(['list', '--all'])).toMatchObject({
    runs: [{}, {}, { workflow: 'Old', archived: true }],
  });
});

describe('where it runs', () => {
  it('outside any project the folder itself is the project, and .claude does not make the home folder one', () => {
    const { home, run } = sandbox();
    mkdirSync(join(home, '.claude'));
    mkdirSync(join(home, 'loose'));
    expect(run(['start', 'W'], { cwd: join(home, 'loose') }).code).toBe(0);
    expect(stateFiles(join(home, 'loose'))).toHaveLength(1);
    expect(stateFiles(home)).toEqual([]);
  });
});

it('a refusal is one line on stderr, with --json also an object on stdout, and leaves no trace', () => {
  const { root, run } = sandbox();
  for (const words of [
    ['update', '--set', 'a=1'],
    ['complete'],
    ['resume'],
    ['takeover', 'x', '--session', 's'],
    ['status', '--cwd', 'nowhere'],
  ])
    expect(run(words, { code: 1 }).stderr.trimEnd().split('\n')).toHaveLength(
      1,
    );
  expect(JSON.parse(run(['advance', '--json'], { code: 1 }).stdout)).toEqual({
    error: {
      code: 'no_workflow',
      message: expect.any(String),
      hint: expect.stringContaining('holdfast start'),
    },
  });
  expect(existsSync(join(root, 'untracked'))).toBe(false);
});
