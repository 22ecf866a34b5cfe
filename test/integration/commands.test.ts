import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { binary, runOther, sandbox } from '../support/cli.ts';
import { archived, onlyRun, stateFiles } from '../support/state.ts';

describe('start', () => {
  it('makes a run with phase 1 in progress and prints its reading list', () => {
    const { root, run } = sandbox({ 'docs/spec.md': 'spec' });
    const { code, stdout, stderr } = run([
      'start',
      'User Auth',
      ...['--type', 'implementation', '--phases', 'Design, Build,Review', '--read', 'docs/spec.md'],
      ...['--remind', 'keep the API stable', '--set', 'budget=2 days', '--set', 'ticket=42'],
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
    expect(readFileSync(join(root, 'untracked/workflow-state/.gitignore'), 'utf8')).toBe('*\n');
  });

  it('gives two runs of the same second different names', () => {
    const { root, run } = sandbox();
    for (let count = 0; count < 3; count += 1) expect(run(['start', 'Same']).code).toBe(0);
    expect(new Set(stateFiles(root)).size).toBe(3);
  });

  it('is refused in a session that works on a run, unless --switch lets go of it', () => {
    const { run, json } = sandbox();
    run(['start', 'First'], { session: 's1' });
    const refused = run(['start', 'Second'], { code: 1, session: 's1' });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/already works on first-\d+_\d+; .*--switch/);
    expect(run(['start', 'Second', '--switch'], { session: 's1' }).code).toBe(0);
    expect(json(['status'], { session: 's1' })).toMatchObject({ run: { workflow: 'Second' } });
    expect(json(['show', 'first'])).toMatchObject({
      run: { sessions: { current_session_id: null } },
    });
  });

  it('takes paths relative to the current folder and stores them relative to the project root', () => {
    const { root, run } = sandbox({ 'pkg/notes.md': 'n', 'docs/spec.md': 's' });
    const cwd = join(root, 'pkg');
    expect(
      run(['start', 'W', '--read', 'notes.md', '--read', 'docs/spec.md', '--read', '@a b.md'], {
        cwd,
      }).code,
    ).toBe(0);
    expect(onlyRun(root).required_reading).toEqual(['@pkg/notes.md', '@docs/spec.md', '@a b.md']);
  });

  it('says of a required file that it is missing, or is outside the project', () => {
    const { run } = sandbox();
    const { stderr } = run(['start', 'W', '--read', 'nowhere.md', '--read', '../secret.md']);
    expect(stderr).toContain('@nowhere.md does not exist yet');
    expect(stderr).toContain('@../secret.md is outside the project');
  });
});

describe('holdfast alone', () => {
  it('says how to start and that the hooks are missing, and writes nothing', () => {
    const { root, run, json } = sandbox();
    expect(run([])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/holdfast start[^]*Hooks {4}not installed[^]*holdfast init/),
    });
    expect(json([])).toMatchObject({ run: null, hooks: [] });
    expect(existsSync(join(root, 'untracked'))).toBe(false);
  });

  it('shows the run with its phases and the next command, and where the hooks are registered', () => {
    const { run } = sandbox();
    run(['start', 'Shop', '--phases', 'Design,Build']);
    run(['init']);
    const { stdout } = run([]);
    expect(stdout).toContain('▸ Design');
    expect(stdout).toContain('Next: holdfast advance');
    expect(stdout).toMatch(/Hooks {4}registered in .*settings\.local\.json/);
  });
});

describe('status', () => {
  it('explains how to start a workflow if there is none, and writes nothing', () => {
    const { root, run, json } = sandbox();
    expect(run(['status'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('holdfast start'),
    });
    expect(json(['status'])).toEqual({
      run: null,
      step: null,
      context_action: null,
      next: null,
      position: null,
      warn_at: [65, 80],
      reading: [],
      others: [],
      detected: [],
      not_understood: [],
      pending_reading: null,
      note: null,
      phase_since: null,
      set_aside: [],
      warnings: [],
    });
    expect(existsSync(join(root, 'untracked'))).toBe(false);
  });

  it('shows a declared workflow that has no state file yet, and writes nothing for it', () => {
    const { root, run, json } = sandbox({
      'CLAUDE.local.md': '## Workflow State\nWorkflow: Shop\nPhase: 2/5 - Build\n',
    });
    expect(run(['status']).stdout).toMatch(/not stored yet[\s\S]*Shop, phase 2\/5 Build/);
    expect(json(['status'])).toMatchObject({
      run: null,
      detected: [{ workflow: 'Shop', source: 'CLAUDE.local.md', phase: { current: 2, total: 5 } }],
    });
    expect(existsSync(join(root, 'untracked'))).toBe(false);
  });

  it('shows for each required file whether it is unread, missing, outside, or loaded by the host', () => {
    const { json, run } = sandbox({ 'a.md': 'a', 'CLAUDE.md': 'c' });
    run([
      'start',
      'W',
      '--read',
      'a.md',
      '--read',
      'b.md',
      '--read',
      '../c.md',
      '--read',
      'CLAUDE.md',
    ]);
    expect(json(['status'])).toMatchObject({
      reading: [
        { path: '@a.md', state: 'unread' },
        { path: '@b.md', state: 'missing' },
        { path: '@../c.md', state: 'outside' },
        { path: '@CLAUDE.md', state: 'host' },
      ],
    });
  });
});

describe('advance', () => {
  it('moves to the next phase, keeps the output, and records the phase in the session', () => {
    const { root, run } = sandbox({ 'out.txt': 'x' });
    run(['start', 'W', '--phases', 'A,B'], { session: 's1' });
    expect(
      run(['advance', '--output', '-', '--artefact', 'out.txt'], {
        session: 's1',
        input: 'from stdin',
      }).code,
    ).toBe(0);
    expect(onlyRun(root)).toMatchObject({
      phase: { current: 2, total: 2, name: 'B', status: 'in_progress' },
      outputs: { 1: { text: 'from stdin', artefacts: ['out.txt'] } },
      sessions: { session_history: [{ session_id: 's1', phases_completed: ['A'] }] },
    });
  });

  it('takes the name of the next phase', () => {
    const { root, run } = sandbox();
    run(['start', 'W', '--phases', 'A,B,C']);
    run(['advance', '--name', 'Better B']);
    expect(onlyRun(root)).toMatchObject({
      phase: { current: 2, name: 'Better B' },
      phases: ['A', 'Better B', 'C'],
    });
  });

  it('completes the run past the last phase: the record and the journal are archived', () => {
    const { root, run } = sandbox();
    run(['start', 'W', '--phases', 'A']);
    const { stdout } = run(['advance']);
    expect(stdout).toContain('Completed W');
    expect(stateFiles(root)).toEqual([]);
    expect(existsSync(join(root, 'untracked/workflow-state/w'))).toBe(false);
    expect(archived(root).map((name) => name.replace(/\d{8}_\d{6}/, 'T'))).toEqual([
      'w-T.events.jsonl',
      'w-T.json',
    ]);
    expect(run(['advance'], { code: 1 }).code).toBe(1);
  });
});

describe('fail', () => {
  it('blocks the phase with the reason, and the run stays active', () => {
    const { root, run } = sandbox();
    run(['start', 'W', '--phases', 'A,B']);
    expect(run(['fail', '--reason', 'no database']).code).toBe(0);
    expect(onlyRun(root)).toMatchObject({
      phase: { current: 1, status: 'blocked' },
      status: 'in_progress',
      status_reason: 'no database',
    });
  });

  it('needs a reason', () => {
    const { run } = sandbox();
    run(['start', 'W']);
    expect(run(['fail'], { code: 2 }).code).toBe(2);
    expect(run(['fail', '--reason', '  '], { code: 2 }).code).toBe(2);
  });
});

describe('update', () => {
  it('changes the given fields and keeps the rest', () => {
    const { root, run } = sandbox({ 'a.md': '', 'b.md': '' });
    run(['start', 'W', '--phases', 'A,B,C', '--read', 'a.md', '--remind', 'one', '--set', 'k=v']);
    const { code } = run([
      'update',
      ...[
        '--phase',
        '3',
        '--status',
        'blocked',
        '--read',
        'b.md',
        '--remind',
        'two',
        '--set',
        'n=1',
      ],
    ]);
    expect(code).toBe(0);
    expect(onlyRun(root)).toMatchObject({
      phase: { current: 3, total: 3, name: 'C', status: 'blocked' },
      required_reading: ['@a.md', '@b.md'],
      key_reminders: ['one', 'two'],
      context: { k: 'v', n: 1 },
      revision: 2,
    });
    run([
      'update',
      '--unread',
      'a.md',
      '--forget',
      'one',
      '--unset',
      'k',
      '--phase',
      '2/5',
      '--name',
      'Mine',
    ]);
    expect(onlyRun(root)).toMatchObject({
      phase: { current: 2, total: 5, name: 'Mine', status: 'in_progress' },
      required_reading: ['@b.md'],
      key_reminders: ['two'],
      context: { n: 1 },
    });
    expect(onlyRun(root).context).not.toHaveProperty('k');
  });

  it('refuses an unknown entry and lists the existing ones', () => {
    const { run } = sandbox();
    run(['start', 'W', '--phases', 'A', '--remind', 'keep it', '--set', 'k=v']);
    expect(run(['update', '--forget', 'other'], { code: 1 })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('keep it'),
    });
    expect(run(['update', '--unset', 'x'], { code: 1 })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('available: k'),
    });
    expect(run(['update', '--phase', '4'], { code: 1 })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('this run has 1'),
    });
  });

  it.each([
    [['update']],
    [['update', '--phase', 'two']],
    [['update', '--status', 'sleeping']],
    [['update', '--set', 'novalue']],
    [['start', 'X', '--type', 'wrong']],
    [['start', 'X', '--phases', ' , ']],
    [['start', '  ']],
    [['start']],
    [['nonsense']],
    [['status', '--nope']],
  ])('%j is wrong usage: exit 2', (words) => {
    const { run } = sandbox();
    run(['start', 'W']);
    const { code, stderr, stdout } = run(words, { code: 2 });
    expect(code).toBe(2);
    expect(stderr).not.toBe('');
    expect(stdout).toBe('');
  });

  it('suggests the command that was probably meant', () => {
    const { run } = sandbox();
    expect(run(['statsu'], { code: 2 }).stderr).toContain('did you mean `holdfast status`?');
  });
});

describe('resume, takeover and release', () => {
  it('resumes a free run; from a live session only takeover takes it', () => {
    const { run, json } = sandbox();
    run(['start', 'W']);
    const resumed = run(['resume', 'w'], { session: 's1' });
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining('ACTION REQUIRED') });
    expect(json(['status'])).toMatchObject({ run: { sessions: { current_session_id: 's1' } } });
    const refused = run(['resume', 'w'], { code: 1, session: 's2' });
    expect(refused.stderr).toMatch(
      /held by session s1 .*; nothing was changed; .*holdfast:release/,
    );
    expect(refused.stderr).not.toMatch(/--force|takeover/);
    expect(run(['resume', 'w', '--force'], { code: 2, session: 's2' }).stderr).toContain('--force');
    expect(json(['status'])).toMatchObject({ run: { sessions: { current_session_id: 's1' } } });
    const taken = run(['takeover', 'w'], { session: 's2' });
    expect(taken).toMatchObject({ code: 0, stdout: expect.stringContaining('ACTION REQUIRED') });
    expect(json(['status'])).toMatchObject({ run: { sessions: { current_session_id: 's2' } } });
  });

  it.each(['resume', 'takeover'])('hold one run at a time: %s', (command) => {
    const { run, json } = sandbox();
    run(['start', 'One'], { session: 's1' });
    run(['start', 'Two']);
    expect(run([command, 'two'], { session: 's1' }).stderr).toMatch(/released one-/);
    expect(json(['show', 'one'])).toMatchObject({
      run: { sessions: { current_session_id: null } },
    });
  });

  it('need a session to take the run for', () => {
    const { run } = sandbox();
    run(['start', 'W']);
    expect(run(['resume', 'w'], { code: 1 })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--session'),
    });
    expect(run(['resume', 'w', '--session', 's9']).code).toBe(0);
    expect(run(['takeover', 'w'], { code: 1 }).code).toBe(1);
    expect(run(['takeover', 'w', '--session', 's8']).code).toBe(0);
  });

  it('releases its own run, and not that of another live session', () => {
    const { run, json } = sandbox();
    run(['start', 'W'], { session: 's1' });
    expect(run(['release', 'w'], { code: 1, session: 's2' }).code).toBe(1);
    expect(run(['release'], { session: 's1' }).code).toBe(0);
    expect(json(['status'])).toMatchObject({
      run: { sessions: { current_session_id: null }, status: 'in_progress' },
    });
  });
});

describe('pause and resume', () => {
  it('a paused run is no longer active, and continues where it was', () => {
    const { run, json } = sandbox();
    run(['start', 'W', '--phases', 'A,B'], { session: 's1' });
    run(['pause', '--reason', 'waiting for review'], { session: 's1' });
    expect(json(['status'], { session: 's1' })).toMatchObject({ run: null });
    expect(run(['status'], { session: 's1' }).stdout).toMatch(
      /w-\d+_\d+: paused, waiting for review/,
    );
    expect(run(['advance', 'w'], { code: 1, session: 's1' })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/is paused; .*holdfast resume/),
    });
    expect(run(['resume'], { session: 's1' }).code).toBe(0);
    expect(json(['status'], { session: 's1' })).toMatchObject({
      run: { status: 'in_progress', sessions: { current_session_id: 's1' } },
    });
    expect(run(['resume'], { code: 1 })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no run here is paused'),
    });
  });
});

describe('complete', () => {
  it('archives the run, and --purge keeps nothing', () => {
    const { root, run } = sandbox();
    run(['start', 'Kept']);
    run(['complete']);
    expect(archived(root)).toHaveLength(2);
    run(['start', 'Gone']);
    run(['complete', '--purge']);
    expect(archived(root)).toHaveLength(2);
    expect(stateFiles(root)).toEqual([]);
  });
});

describe('list, show, history', () => {
  it('lists runs, and archived ones with --all, in 80 columns', () => {
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
    expect(stdout.split('\n').every((line) => Array.from(line).length <= 80)).toBe(true);
    expect(json(['list'])).toMatchObject({ runs: [{}, {}] });
    expect(json(['list', '--all'])).toMatchObject({
      runs: [{}, {}, { workflow: 'Old', archived: true }],
    });
  });

  it('shows everything that is stored, of archived runs too', () => {
    const { run, json } = sandbox();
    run(['start', 'Old', '--set', 'k=v']);
    run(['complete']);
    expect(json(['show', 'old'])).toMatchObject({
      run: { status: 'completed', context: { k: 'v' } },
    });
  });

  it('prints the history of a run', () => {
    const { run, json } = sandbox();
    run(['start', 'W', '--phases', 'A,B'], { session: 'session-one' });
    run(['advance', '--output', 'did A'], { session: 'session-one' });
    run(['fail', '--reason', 'broken']);
    expect(run(['history']).stdout).toMatch(
      /started[\s\S]*finished 1\/2 A: did A by session session-[\s\S]*failed: broken/,
    );
    expect(json(['history', 'w'])).toMatchObject({
      events: [{ event: 'started' }, { event: 'advanced', output: 'did A' }, { event: 'failed' }],
      sessions: [{ session_id: 'session-one' }],
    });
  });
});

describe('where it runs', () => {
  it('finds the project from a sub-directory', () => {
    const { root, run, json } = sandbox();
    run(['start', 'W']);
    mkdirSync(join(root, 'deep/er'), { recursive: true });
    expect(json(['status'], { cwd: join(root, 'deep/er') })).toMatchObject({
      run: { workflow: 'W' },
    });
    expect(json(['status', '--cwd', join(root, 'deep')], { cwd: root })).toMatchObject({
      run: { workflow: 'W' },
    });
  });

  it('outside any project the folder itself is the project, and .claude does not make the home folder one', () => {
    const { home, run } = sandbox();
    mkdirSync(join(home, '.claude'));
    mkdirSync(join(home, 'loose'));
    expect(run(['start', 'W'], { cwd: join(home, 'loose') }).code).toBe(0);
    expect(stateFiles(join(home, 'loose'))).toHaveLength(1);
    expect(stateFiles(home)).toEqual([]);
  });

  it('refuses a --cwd that does not exist', () => {
    const { run } = sandbox();
    expect(run(['status', '--cwd', 'nowhere'], { code: 1 })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nowhere'),
    });
  });
});

describe('errors', () => {
  it('are one line on stderr, and with --json also an object on stdout', () => {
    const { run } = sandbox();
    const { code, stdout, stderr } = run(['advance', '--json'], { code: 1 });
    expect(code).toBe(1);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: 'no_workflow',
        message: expect.any(String),
        hint: expect.stringContaining('holdfast start'),
      },
    });
  });
});

it('a refused command leaves no trace', () => {
  const { root, run } = sandbox();
  for (const words of [
    ['advance'],
    ['update', '--set', 'a=1'],
    ['complete'],
    ['resume'],
    ['resume', 'x', '--session', 's'],
    ['takeover', 'x', '--session', 's'],
  ]) {
    expect(run(words, { code: 1 }).code).toBe(1);
  }
  expect(existsSync(join(root, 'untracked'))).toBe(false);
});

it('a reader that has seen enough does not make it crash', () => {
  const { root, home } = sandbox();
  const script = `"$0" "$1" help start | true; echo "\${PIPESTATUS[0]}"`;
  const { stdout, stderr } = runOther('bash', ['-c', script, process.execPath, binary], {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: home },
  });
  expect({ stdout, stderr }).toEqual({ stdout: '0\n', stderr: '' });
});

test('the help of a command ends with examples', () => {
  const { code, stdout } = sandbox().run(['advance', '--help']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/\nExamples:\n {2}\$ holdfast advance .*\n {2}\$ .*\n$/);
});
