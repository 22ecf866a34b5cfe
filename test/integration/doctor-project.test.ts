import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sandbox, type Sandbox } from '../support/cli.ts';
import {
  boxWith,
  doctor,
  expectOne,
  findings,
  put,
  troubles,
  type Tree,
} from '../support/doctor.ts';
import { minimalPath, minimalState, stateFiles } from '../support/state.ts';

const STATE = 'untracked/workflow-state';
const TEMPLATES = '.claude/holdfast/workflows';
const plain = { ...minimalState, required_reading: [] };

function git(box: Sandbox, ...words: string[]): void {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid'];
  execFileSync('git', [...identity, ...words], {
    cwd: box.root,
    env: { PATH: process.env['PATH'], HOME: box.home },
  });
}

function inGit(tree: Tree): Sandbox {
  const box = boxWith(tree);
  git(box, 'init', '--quiet');
  return box;
}

function age(path: string, seconds: number): void {
  const then = Date.now() / 1000 - seconds;
  utimesSync(path, then, then);
}

const artifact = (fields: object): object => ({
  ...plain,
  critical_artifacts: { always_load: [{ id: 'spec', type: 'markdown', ...fields }] },
});
const template = (more = ''): string =>
  `name: Release\ndescription: Ships it.\nsteps:\n  - id: ship\n    type: action\n    instructions: Ship it.\n${more}`;

it.each<[check: string, title: string, tree: Tree, said: string[]]>([
  ['state', 'no state files', {}, []],
  ['state', 'a state file with the required fields', { [minimalPath]: plain }, []],
  [
    'state',
    'a state file that cannot be read',
    { [minimalPath]: '{"workflow": ' },
    [`broken: ${minimalPath} cannot be read`, `holdfast validate ${minimalPath}`],
  ],
  [
    'state',
    'a path that a shell would read more in',
    { [minimalPath.replaceAll('release', 're; touch x #')]: '{' },
    [`holdfast validate '${minimalPath.replaceAll('release', 're; touch x #')}'`],
  ],
  [
    'state',
    'a phase that there is not',
    { [minimalPath]: JSON.stringify({ ...plain, phase: { ...plain.phase, current: 9 } }, null, 2) },
    ['warning', `${minimalPath}:5: "phase.current" is 9, but there are only 3`],
  ],
  [
    'state',
    'a file that was moved aside',
    { [minimalPath]: plain, [`${minimalPath}.corrupt-20250601_120000`]: '{' },
    ['warning: 1 unreadable state file moved aside'],
  ],
  ['state', 'a file in the place of the folder', { untracked: 'a file' }, ['broken', 'untracked']],
  [
    'runs',
    'required reading that is missing',
    {
      [minimalPath]: { ...plain, required_reading: ['@a.md', '@gone.md', '@../other.md'] },
      'a.md': 'x',
    },
    ['warning', '@gone.md (missing)', '@../other.md (outside)', '--unread gone.md'],
  ],
  [
    'runs',
    'required reading with a name that a shell would read more in',
    { [minimalPath]: { ...plain, required_reading: ['@a; touch $HOME/x #'] } },
    ["--unread 'a; touch $HOME/x #'`"],
  ],
  [
    'runs',
    'a paused run',
    { [minimalPath]: { ...plain, required_reading: ['@gone.md'], status: 'paused' } },
    [],
  ],
  [
    'runs',
    'a source that is not text',
    { 'CLAUDE.local.md': '# Workflow State\0' },
    ['warning: CLAUDE.local.md was not read: binary'],
  ],
  [
    'runs',
    'a todo list that is gone',
    { [minimalPath]: { ...plain, todo: { path: 'TODO.md', owned: true } } },
    ['note', 'TODO.md: it is gone'],
  ],
  ['templates', 'one that can be used', { [`${TEMPLATES}/release.yaml`]: template() }, []],
  [
    'templates',
    'one that cannot',
    { [`${TEMPLATES}/bad.yaml`]: 'name: Bad\nsteps: 3\n' },
    [
      `warning: ${TEMPLATES}/bad.yaml cannot be used`,
      `${TEMPLATES}/bad.yaml:2: `,
      `holdfast validate ${TEMPLATES}/bad.yaml`,
    ],
  ],
  [
    'templates',
    'a gate that nobody has trusted, in a file with a name for a shell',
    { [`${TEMPLATES}/a; touch x.yaml`]: template('    gate: npm test\n') },
    ['note', 'step "ship":\n│ npm test', "`holdfast trust 'a; touch x'`"],
  ],
  [
    'templates',
    'a record of trust that is not JSON',
    { [`${TEMPLATES}/a.yaml`]: template(), '~/.claude/holdfast/trusted-templates.json': '{' },
    ['warning', 'trusted-templates.json is not JSON'],
  ],
  ['artifacts', 'none', { [minimalPath]: plain }, []],
  ['artifacts', 'one', { [minimalPath]: artifact({ path: 'spec.md' }), 'spec.md': 'Rules.' }, []],
  [
    'artifacts',
    'one that is missing',
    { [minimalPath]: artifact({ path: 'spec.md', required: true }) },
    ['warning', 'spec.md does not exist'],
  ],
  [
    'artifacts',
    'one that is missing and not required',
    { [minimalPath]: artifact({ path: 'spec.md', required: false }) },
    ['note', 'spec.md does not exist'],
  ],
  [
    'artifacts',
    'one of a type that there is not',
    { [minimalPath]: artifact({ path: 'spec.md', type: 'poem' }) },
    ['warning', 'spec'],
  ],
  [
    'artifacts',
    'a condition that cannot be read',
    { [minimalPath]: artifact({ path: 'spec.md', condition: 'state.constructor' }) },
    ['warning', 'the condition of spec cannot be read'],
  ],
  ['git', 'a folder that is not a repository', { [minimalPath]: plain }, []],
])('%s: %s', (check, _title, tree, said) => {
  expectOne(troubles(boxWith(tree), check), said);
});

it('a state folder outside the project is broken', () => {
  const box = sandbox({ 'untracked/x': '' });
  symlinkSync(box.home, join(box.root, STATE));
  expectOne(troubles(box, 'state'), [`broken: ${STATE} cannot be used: outside the project`]);
});

describe('a run', () => {
  const held = (seenAt: string): object => ({
    ...plain,
    sessions: {
      current_session_id: 'abcdef0123',
      session_history: [
        {
          session_id: 'abcdef0123',
          started_at: '2025-06-01T11:00:00.000Z',
          last_seen_at: seenAt,
          environment: { hostname: hostname() },
        },
      ],
    },
  });
  const look = (days: number, seenAt = '2025-06-01T11:59:00.000Z'): string[] => {
    const box = boxWith({ [minimalPath]: held(seenAt) });
    age(join(box.root, minimalPath), days * 24 * 3_600);
    return troubles(box, 'runs');
  };

  it('that nobody touched for 14 days is named, unless its session is live', () => {
    expectOne(look(15), ['note', 'last touched 15 days ago, held by session abcdef01', 'complete']);
    expect(look(13)).toEqual([]);
    expect(look(15, new Date().toISOString())).toEqual([]);
  });

  it('with another phase than its marker is named, with the one that applies', () => {
    const marker = (phase: number): string =>
      `# Workflow State\nWorkflow: Feature\nPhase: ${phase}/5\n`;
    const box = boxWith({ 'CLAUDE.local.md': marker(2) });
    box.run(['sync'], { code: 1 });
    box.run(['status']);
    box.run(['resume', 'feature'], { session: 's1' });
    expect(troubles(box, 'runs')).toEqual([]);
    box.run(['update', 'feature', '--phase', '4'], { session: 's1' });
    expectOne(troubles(box, 'runs'), ['warning', 'CLAUDE.local.md: phase 2', 'the state applies']);
    put(box, 'CLAUDE.local.md', marker(3));
    expectOne(troubles(box, 'runs'), ['warning', 'is newer and applies', '--phase 3']);
  });

  it('of a template that was sent back as often as allowed is a question for the user', () => {
    const box = boxWith({ [`${TEMPLATES}/release.yaml`]: `max_pivots: 2\n${template()}` });
    box.run(['start', '--template', 'release'], { session: 's1' });
    const [path = ''] = stateFiles(box.root);
    const sentBack = (pivots: number): string[] => {
      const run = JSON.parse(readFileSync(join(box.root, path), 'utf8'));
      writeFileSync(
        join(box.root, path),
        JSON.stringify({ ...run, machine: { ...run.machine, pivots } }),
      );
      return troubles(box, 'runs');
    };
    expect(sentBack(1)).toEqual([]);
    expectOne(sentBack(2), ['warning', 'has reached the pivot limit', 'holdfast advance']);
  });
});

it('gates are listed until they are trusted', () => {
  const box = boxWith({ [`${TEMPLATES}/release.yaml`]: template('    gate: npm test\n') });
  expectOne(troubles(box, 'templates'), ['note', '`holdfast trust release`']);
  expect(box.run(['trust', 'release', '--yes']).code).toBe(0);
  expect(troubles(box, 'templates')).toEqual([]);
});

describe('the lock', () => {
  const LOCK = `${STATE}/.lock`;
  const owned = (pid: number): string => `${pid}-token ${pid} ${hostname()}`;

  it.each([
    ['a process that is gone', owned(4_194_305), 0],
    ['a process that has held it for too long', owned(process.pid), 6],
    ['nobody', '', 1],
  ])('of %s is found, and removed by --fix', (_owner, content, seconds) => {
    const box = boxWith({ [LOCK]: content });
    age(join(box.root, LOCK), seconds);
    expectOne(troubles(box, 'lock'), ['warning', LOCK, 'fix: holdfast doctor --fix']);
    expect(existsSync(join(box.root, LOCK))).toBe(true);
    expect(doctor(box, ['--fix']).summary).toMatchObject({ fixed: 1, warnings: 0 });
    expect(existsSync(join(box.root, LOCK))).toBe(false);
  });

  it.each([
    ['a running writer', owned(process.pid)],
    ['another machine', '4194305-x 4194305 elsewhere'],
  ])('of %s is left alone, as is its temporary file', (_owner, content) => {
    const box = boxWith({ [LOCK]: content, [`${STATE}/.tmp-x-1`]: '' });
    expectOne(troubles(box, 'lock'), ['note']);
    expect(doctor(box, ['--fix']).summary['fixed']).toBe(0);
  });
});

describe('git', () => {
  it.each<[title: string, tree: Tree, said: string[]]>([
    ['a folder with its own .gitignore', { [`${STATE}/.gitignore`]: '*\n' }, []],
    ['a folder that the project ignores', { '.gitignore': 'untracked/\n' }, []],
    ['a folder that git sees', {}, ['warning', 'fix: holdfast doctor --fix']],
    [
      "a user's own .gitignore",
      { [`${STATE}/.gitignore`]: '!*\n' },
      ['warning', `fix: add a line with * to ${STATE}/.gitignore`],
    ],
    [
      'logs that git sees',
      { '.gitignore': `${STATE}\n`, 'untracked/workflow-logs/a/1.jsonl': '{}\n' },
      ['git does not ignore untracked/workflow-logs'],
    ],
  ])('%s', (_title, tree, said) => {
    expectOne(troubles(inGit({ [minimalPath]: plain, ...tree }), 'git'), said);
  });

  it('does not ignore a folder: --fix writes a .gitignore, and keeps one that is there', () => {
    const box = inGit({ [minimalPath]: plain });
    box.run(['doctor', '--fix'], { code: 1 });
    expect(readFileSync(join(box.root, STATE, '.gitignore'), 'utf8')).toBe('*\n');
    expect(troubles(box, 'git')).toEqual([]);
    put(box, `${STATE}/.gitignore`, '!*\n');
    box.run(['doctor', '--fix'], { code: 1 });
    expect(readFileSync(join(box.root, STATE, '.gitignore'), 'utf8')).toBe('!*\n');
  });

  it('tracks state files: broken, also if doctor runs in a hook of another repository', () => {
    const box = inGit({ [minimalPath]: plain });
    git(box, 'add', '.');
    const said = ['broken', minimalPath, `git rm -r --cached ${STATE}`];
    expectOne(troubles(box, 'git'), said);
    const other = inGit({});
    expectOne(troubles(box, 'git', { code: 1, env: { GIT_DIR: join(other.root, '.git') } }), said);
  });

  it('is asked without the programs that a repository configures', () => {
    const box = inGit({ [minimalPath]: plain, [`${STATE}/.gitignore`]: '*\n' });
    const sign = join(box.root, 'executed');
    chmodSync(put(box, 'evil.sh', `#!/bin/sh\ntouch '${sign}'\n`), 0o755);
    git(box, 'config', 'core.fsmonitor', join(box.root, 'evil.sh'));
    expect(troubles(box, 'git')).toEqual([]);
    expect(existsSync(sign)).toBe(false);
  });
});

describe('refspecs that would destroy what was not sent', () => {
  const ORIGIN: [string, string] = ['holdfast.-.sync', 'origin'];
  const synced = (...settings: [key: string, value: string][]): Sandbox => {
    const box = inGit({});
    git(box, 'remote', 'add', 'origin', 'https://example.org/shop.git');
    for (const [key, value] of [ORIGIN, ...settings]) git(box, 'config', '--add', key, value);
    return box;
  };
  const FETCH = 'remote.origin.fetch';

  it.each<[settings: [string, string][], said: string[]]>([
    [[], []],
    [[[FETCH, '+refs/tags/*:refs/tags/*']], []],
    [[['remote.origin.push', '+refs/heads/*:refs/heads/*']], []],
    [[[FETCH, '+refs/*:refs/*']], ['warning', `${FETCH} = +refs/*:refs/*`, '^refs/holdfast/*']],
    [[[FETCH, '+refs/holdfast/*:refs/holdfast/*']], ['warning', '^refs/holdfast/*']],
    [[[FETCH, 'refs/*:refs/*']], ['warning', '^refs/holdfast/*']],
    [[[FETCH, '+a:refs/holdfast/runs/-/a']], ['warning', '^refs/holdfast/*']],
    [
      [
        [FETCH, '+refs/*:refs/*'],
        [FETCH, '^refs/holdfast/*'],
      ],
      ['warning', `fix: git config --add ${FETCH} '^refs/worktree/*'`],
    ],
    [
      [
        [FETCH, '+refs/*:refs/*'],
        [FETCH, '^refs/holdfast/*'],
        [FETCH, '^refs/worktree/*'],
      ],
      [],
    ],
    [[['remote.origin.mirror', 'true']], ['warning']],
    [[['remote.origin.push', '+refs/*:refs/*']], ['warning']],
  ])('%j', (settings, said) => {
    expectOne(troubles(synced(...settings), 'sync'), said);
  });

  it('a remote that is gone is broken', () => {
    const box = inGit({});
    git(box, 'config', ...ORIGIN);
    expectOne(troubles(box, 'sync'), ['broken', 'origin']);
  });
});

describe('headless runs', () => {
  const RECORD = 'untracked/workflow-logs/release-1/driver.json';
  const gone = { pid: 2 ** 22 + 7, start: null };
  const driver = (owner: object | null): Tree => ({
    [RECORD]: { run: 'release-1', owner, client: null },
  });

  it.each<[string, Tree, string[]]>([
    [
      'a driver that was killed',
      driver({ ...gone, token: 't', host: hostname() }),
      ['note', RECORD, 'not finished', 'fix: holdfast run release-1'],
    ],
    [
      'a driver on another machine',
      driver({ ...gone, token: 't', host: 'there' }),
      ['note', 'driven on there'],
    ],
  ])('%s', (_title, tree, said) => {
    expectOne(troubles(boxWith(tree), 'headless'), said);
  });

  it('a driver that stopped in order is no finding, large logs are', () => {
    const box = boxWith(driver(null));
    const before = findings(box, 'headless').length;
    const log = put(box, 'untracked/workflow-logs/large-1/0001-plan.jsonl', '');
    truncateSync(log, 1_200_000_000);
    const said = [
      'note: the logs of driven runs take 1200 MB',
      'rm -r untracked/workflow-logs/large-1',
    ];
    expectOne(troubles(box, 'headless'), said);
    expect(findings(box, 'headless')).toHaveLength(before + 1);
  });
});
