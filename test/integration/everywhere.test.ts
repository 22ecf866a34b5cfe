import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { binary, git, sandbox, type Sandbox } from '../support/cli.ts';
import { writeTree } from '../support/state.ts';

const APPROVAL = `name: ask
description: asks
steps:
  - {id: plan, type: action, instructions: plan}
  - {id: ok, type: approval, instructions: decide}
  - {id: build, type: action, instructions: build}
`;
const ASK = { '.claude/holdfast/workflows/ask.yaml': APPROVAL };

interface Listed {
  runs: {
    workflow: string;
    needs: string | null;
    project: { name: string; root: string };
  }[];
}

/** The folder of another project of the same user. */
function project({ root }: Sandbox, name: string): string {
  const folder = join(dirname(root), name);
  mkdirSync(join(folder, '.git'), { recursive: true });
  return folder;
}

/** A repository with a worktree of this name beside it. */
function repository(name: string): [box: Sandbox, worktree: string] {
  const box = sandbox();
  rmSync(join(box.root, '.git'), { recursive: true });
  git(box, 'init', '-q');
  git(box, 'commit', '-q', '--allow-empty', '-m', 'one');
  git(box, 'worktree', 'add', '-q', `../${name}`);
  return [box, join(dirname(box.root), name)];
}

describe('list --everywhere', () => {
  it('shows the runs of all projects, those that need a person first, and no project that is gone', () => {
    const box = sandbox(ASK);
    const [shop, site, old] = [
      project(box, 'shop'),
      project(box, 'site'),
      project(box, 'old'),
    ];
    const start = (name: string, session: string, cwd = box.root): unknown =>
      box.run(['start', name, '--phases', 'A,B'], { session, cwd });
    start('Lost', 's0', old);
    start('Running', 's1', shop);
    box.run(['fill', '--percent', '82'], { session: 's1', cwd: shop });
    start('Unheld', 's2', site);
    box.run(['release'], { session: 's2', cwd: site });
    start('Stuck', 's3', site);
    box.run(['fail', '--reason', 'no key'], { session: 's3', cwd: site });
    box.run(['start', '--template', 'ask'], { session: 's4' });
    box.run(['advance', '--output', 'x'], { session: 's4' });
    rmSync(old, { recursive: true });
    const { runs } = box.json(['list', '--everywhere']) as Listed;
    expect(
      runs.map(({ workflow, needs, project: { name } }) => [
        workflow,
        needs,
        name,
      ]),
    ).toEqual([
      ['ask', 'approval', 'project'],
      ['Stuck', 'blocked', 'site'],
      ['Running', null, 'shop'],
      ['Unheld', null, 'site'],
    ]);
    const { stdout } = box.run(['list', '--everywhere'], { cwd: shop });
    expect(stdout).toMatch(
      /Needs you\n.*\n.*ask-.*s4.*\n.*stuck-[^]*Running\n[^]*82 %[^]*Other/,
    );
    expect(stdout).toContain(
      `Next: cd ${box.root}, then holdfast approve ask-`,
    );
    box.run(['complete', 'running'], { cwd: shop });
    expect(box.run(['list', '--everywhere', '--all']).stdout).toMatch(
      /running-.* completed /,
    );
  });

  it('names a session whose client has died, and puts worktrees beside their repository', async () => {
    const [box, fix] = repository('fix');
    const other = project(box, 'other');
    const now = (minute: number): string => `2030-01-01T00:0${minute}:00Z`;
    box.run(['start', 'Fix'], { session: 's1', cwd: fix, now: now(1) });
    box.run(['start', 'Other'], { session: 's2', cwd: other, now: now(2) });
    const client = spawn('sleep', ['600']);
    const env = { CLAUDE_PID: String(client.pid) };
    box.run(['start', 'Main'], { session: 's3', now: now(3), env });
    const listed = (): [string, string | null, string][] =>
      (box.json(['list', '--everywhere'], { now: now(4) }) as Listed).runs.map(
        ({ workflow, needs, project: { name } }) => [workflow, needs, name],
      );
    expect(listed()).toEqual([
      ['Main', null, 'project'],
      ['Fix', null, 'project › fix'],
      ['Other', null, 'other'],
    ]);
    client.kill();
    await once(client, 'close');
    expect(listed()).toContainEqual(['Main', 'holder_gone', 'project']);
    expect(listed()[0]?.[0]).toBe('Main');
  });
});

it('status in a checkout without a run names those of the other checkouts, with the command', () => {
  const [box, worktree] = repository("it's");
  box.run(['start', 'Auth', '--phases', 'A,B']);
  const there = box.run(['status'], { cwd: worktree }).stdout;
  expect(there).toContain('In other checkouts of this repository');
  expect(there).toMatch(
    / {2}auth-\S+, phase 1\/2 A: holdfast --cwd \S+project status auth-/,
  );
  expect(box.json(['status'], { cwd: worktree })).toMatchObject({
    run: null,
    elsewhere: [{ root: box.root, workflow: 'Auth' }],
  });
  expect(box.run(['status']).stdout).not.toContain('other checkouts');
  box.run(['complete']);
  box.run(['start', 'Here'], { cwd: worktree });
  expect(box.run(['status']).stdout).toMatch(
    /here-\S+, phase .*: holdfast --cwd '\S+it'\\''s' status/,
  );
});

it('a folder that an archive brings does not pass as part of another project', () => {
  const [box, worktree] = repository('fix');
  const evil = join(dirname(box.root), 'evil');
  const names = (): string[] =>
    (box.json(['list', '--everywhere']) as Listed).runs.map(
      ({ project: { name } }) => name,
    );
  box.run(['start', 'Shop']);
  box.run(['start', 'Fix'], { session: 's1', cwd: worktree });
  for (const named of ['.git', '.git/worktrees/fix', '.git/worktrees/other']) {
    rmSync(evil, { recursive: true, force: true });
    writeTree(evil, { '.git': `gitdir: ${box.root}/${named}\n` });
    expect(box.run(['status'], { cwd: evil }).stdout).not.toContain(
      'other checkouts',
    );
    box.run(['start', 'Evil'], { session: 's2', cwd: evil });
    expect(names().toSorted(), named).toEqual([
      'evil',
      'project',
      'project › fix',
    ]);
    expect(box.run(['status'], { cwd: worktree }).stdout).not.toContain('evil');
  }
});

describe('watch', () => {
  interface Watching {
    code: Promise<number | null>;
    lines: () => string[];
    stop: () => void;
  }

  async function watch(box: Sandbox, ...words: string[]): Promise<Watching> {
    const child = spawn(process.execPath, [binary, 'watch', ...words], {
      cwd: box.root,
      env: { PATH: process.env['PATH'], HOME: box.home, TZ: 'UTC' },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let text = '';
    child.stdout
      .setEncoding('utf8')
      .on('data', (chunk: string) => (text += chunk));
    const code = once(child, 'close').then(() => child.exitCode);
    const lines = (): string[] =>
      text.split('\n').filter((line) => line !== '');
    await expect.poll(lines).not.toEqual([]);
    return { code, lines, stop: () => void child.kill('SIGINT') };
  }

  it.each<[until: string, change: string[], code: number, last: RegExp]>([
    ['phase', ['advance'], 0, /Auth · 2\/2 B · in progress/],
    ['phase', ['fail', '--reason', 'x'], 3, /needs you: is blocked/],
    ['done', ['complete'], 0, /completed/],
    ['done', ['cancel'], 1, /cancelled/],
    ['attention', ['fail', '--reason', 'x'], 0, /needs you: is blocked/],
    ['attention', ['complete'], 1, /completed/],
  ])('--until %s, %j: exit %i', async (until, change, code, last) => {
    const box = sandbox();
    box.run(['start', 'Auth', '--phases', 'A,B']);
    const watching = await watch(box, '--until', until);
    box.run(change);
    expect(await watching.code).toBe(code);
    expect(watching.lines().at(0)).toMatch(
      /^\d\d:\d\d:\d\d {2}Auth · 1\/2 A · in progress$/,
    );
    expect(watching.lines().at(-1)).toMatch(last);
  });

  it('goes on over changes that are not waited for, and ends at once where it is so already', async () => {
    const box = sandbox(ASK);
    box.run(['start', '--template', 'ask']);
    const watching = await watch(box, 'ask', '--json');
    box.run(['advance', '--output', 'x']);
    expect(await watching.code).toBe(3);
    expect(watching.lines().map((line) => JSON.parse(line))).toMatchObject([
      {
        workflow: 'ask',
        status: 'in_progress',
        phase: { current: 1 },
        needs: null,
        wait: null,
      },
      {
        workflow: 'ask',
        status: 'in_progress',
        phase: { current: 2 },
        needs: 'approval',
        wait: expect.stringMatching(/^\w+@0[0-9a-f]{8}$/),
      },
    ]);
    box.run(['watch', '--until', 'attention']);
    box.run(['watch', '--until', 'done'], { code: 3 });
    box.run(['approve']);
    box.run(['advance', '--output', 'x']);
    box.run(['watch', 'ask']);
    box.run(['watch'], { code: 1 });
    box.run(['watch', '--until', 'lunch'], { code: 2 });
  });

  it('is ended by Ctrl-C with 130, and with 1 when the run is deleted', async () => {
    const box = sandbox();
    box.run(['start', 'Auth', '--phases', 'A,B']);
    const [watching, stopped] = await Promise.all([
      watch(box, '--until', 'phase'),
      watch(box),
    ]);
    stopped.stop();
    expect(await stopped.code).toBe(130);
    rmSync(join(box.root, 'untracked'), { recursive: true });
    expect(await watching.code).toBe(1);
    expect(watching.lines().at(-1)).toContain('gone');
  });
});
