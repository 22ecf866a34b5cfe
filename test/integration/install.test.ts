import { dirname, join } from 'node:path';
import fse from 'fs-extra';
import { describe, expect, it } from 'vitest';
import { repository, runOther, sandbox, type Sandbox } from '../support/cli.ts';
import { fire, recorded, registered } from '../support/hooks.ts';

const SETTINGS = '.claude/settings.local.json';

function compaction(box: Sandbox, cwd = box.root, session = 's1'): string {
  return recorded('sessionstart-compact', { session_id: session, cwd });
}

/** The package as npm would lay it somewhere. */
function packageIn(folder: string, version?: string): string {
  fse.mkdirSync(join(folder, 'dist/module'), { recursive: true });
  fse.cpSync(join(repository, 'bin'), join(folder, 'bin'), { recursive: true });
  const names = [
    'cli.cjs',
    'hook.cjs',
    'mcp.cjs',
    'module/opencode.js',
    'module/register.js',
  ];
  for (const name of names) {
    const text = fse.readFileSync(join(repository, 'dist', name), 'utf8');
    const { version: own } = JSON.parse(
      fse.readFileSync(join(repository, 'package.json'), 'utf8'),
    );
    fse.writeFileSync(
      join(folder, 'dist', name),
      version === undefined
        ? text
        : `${text.replace(`version:"${own}"`, `version:"${version}"`)}\n// ${version}\n`,
    );
  }
  return join(folder, 'bin/holdfast.cjs');
}

function runFrom(program: string, box: Sandbox, words: string[]) {
  const env = { PATH: process.env['PATH'], HOME: box.home };
  return runOther(process.execPath, [program, ...words], {
    cwd: box.root,
    env,
  });
}

describe('init', () => {
  it('says what it changed, and then that nothing had to change', () => {
    const section =
      '## Workflow State\nWorkflow: Shop\nPhase: 2/3 - Build\n@a.md\n';
    const plan = '# Big\n**Status**: Approved\n## Phase 1: A\n## Phase 2: B\n';
    const files = {
      'CLAUDE.local.md': section,
      'CLAUDE/Plan/001-big/PLAN.md': plan,
    };
    const box = sandbox(files);
    const first = box.run(['init']);
    expect(first.stdout).toContain('Installed holdfast (scope local).');
    expect(first.stdout).toContain(`created  ${SETTINGS}`);
    expect(first.stdout).toMatch(
      / {2}allowed {2}holdfast status, list, .*validate, help, doctor: /,
    );
    const [told = '', found = ''] = first.stdout.split(
      '\n\nFound in this project: ',
    );
    expect(found).toMatch(
      /^1 workflow in progress\. .* gets back:\n {2}Shop \(CLAUDE\.local\.md\): phase 2\/3 Build, 1 file to read\n {2}CLAUDE\/Plan\/001-big\/PLAN\.md:2 .*"Approved"\n$/,
    );
    expect(told.split('\n').slice(-3)).toEqual([
      expect.stringMatching(/^Protected: you, in this project\. /),
      expect.stringMatching(/^Next: .*`\/holdfast:start`/),
      'Remove: `holdfast uninstall`',
    ]);
    const second = box.run(['init']);
    expect(second.stdout.split('\n\n')[0]).toBe(
      'holdfast is already installed (scope local); nothing had to change.',
    );
  });

  it('says that a linked folder leads out of the project, before it writes there', () => {
    const box = sandbox();
    const elsewhere = join(box.home, 'shared');
    fse.mkdirSync(elsewhere);
    fse.symlinkSync(elsewhere, join(box.root, '.claude'));
    const warning = `.claude leads out of this project, to ${fse.realpathSync(elsewhere)}: `;
    const dry = box.run(['init', '--scope', 'project', '--dry-run']);
    expect(dry.stderr).toContain(warning);
    expect(fse.readdirSync(elsewhere)).toEqual([]);
    const { stdout, stderr } = box.run(['init', '--scope', 'project']);
    expect(stderr.split(warning)).toHaveLength(2);
    expect(stdout).toContain(
      'Protected: everyone who works in this project and has these files.',
    );
  });

  it('with --dry-run prints a summary, with --verbose the difference, and writes nothing', () => {
    const box = sandbox({ [SETTINGS]: '{\n  "model": "opus"\n}\n' });
    const summary = box.run(['init', '--dry-run']);
    expect(summary.stdout).toContain(`  changed  ${SETTINGS}\n`);
    expect(summary.stdout).toContain('`--verbose` shows the diff');
    expect(summary.stdout.split('\n').length).toBeLessThan(12);
    const { stdout } = box.run(['init', '--dry-run', '--verbose']);
    expect(stdout).toContain(`--- ${SETTINGS}\n+++ ${SETTINGS}\n@@ -1,3 +1,`);
    expect(stdout).toContain(
      '\n-  "model": "opus"\n+  "model": "opus",\n+  "hooks": {\n',
    );
    expect(stdout).toContain('Nothing was written.');
    expect(fse.readdirSync(box.home)).toEqual([]);
    expect(fse.readdirSync(join(box.root, '.claude'))).toEqual([
      'settings.local.json',
    ]);
    expect(fse.readdirSync(join(box.root, '.git'))).toEqual([]);
  });

  it('refuses a record that is damaged or of a newer version with what to do, as does uninstall', () => {
    const box = sandbox();
    box.run(['init']);
    const record = join(box.home, '.claude/holdfast/installs.json');
    for (const [text, ...said] of [
      ['{"installs": [', `${record} is damaged`, 'delete it and try again'],
      [
        '{"version": 2, "projects": {}}',
        `${record} was written by a newer version of holdfast`,
      ],
    ] as const) {
      fse.writeFileSync(record, text);
      for (const command of ['init', 'uninstall']) {
        const { stderr } = box.run([command], { code: 1 });
        for (const part of said) expect(stderr).toContain(part);
      }
      box.run(['status']);
      expect(fse.readFileSync(record, 'utf8')).toBe(text);
    }
    fse.rmSync(record);
    box.run(['uninstall']);
    expect(fse.readdirSync(box.home)).toEqual([]);
    expect(fse.readdirSync(box.root)).not.toContain('.claude');
  });
});

describe('a registered hook', () => {
  it('works from a sub-directory and from a worktree', () => {
    const box = sandbox({
      'packages/api/index.js': '',
      '../tree/.git': 'gitdir: /nowhere',
    });
    box.run(['init']);
    box.run(['start', 'Shop'], { session: 's1' });
    const hook = registered(join(box.root, SETTINGS), 'SessionStart');
    const inside = compaction(box, join(box.root, 'packages/api'));
    expect(fire(box, hook, inside).stdout).toContain('Workflow: Shop');
    const tree = join(box.root, '../tree');
    // A session that has entered a worktree keeps its run; one that started there has the run of that tree.
    box.run(['start', 'Third'], { session: 's3' });
    expect(fire(box, hook, compaction(box, tree, 's3')).stdout).toContain(
      'Workflow: Third',
    );
    box.run(['start', 'Branch'], { session: 's2', cwd: tree });
    expect(fire(box, hook, compaction(box, tree, 's2')).stdout).toContain(
      'Workflow: Branch',
    );
  });

  it("is silent if holdfast was removed, and never runs code from a project's node_modules", () => {
    const box = sandbox({
      'node_modules/holdfast/dist/hook.cjs': 'process.stdout.write("hostile")',
      'node_modules/holdfast/bin/hook.sh': 'echo hostile',
    });
    box.run(['init', '--scope', 'user']);
    fse.rmSync(join(box.home, '.claude/holdfast'), { recursive: true });
    const hook = registered(
      join(box.home, '.claude/settings.json'),
      'SessionStart',
    );
    expect(fire(box, hook, compaction(box))).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });

  it('follows an update of the package as soon as a command of it was used', () => {
    const box = sandbox();
    runFrom(packageIn(join(box.home, 'global')), box, ['init']);
    const copy = join(box.home, '.claude/holdfast/dist/hook.cjs');
    const newer = packageIn(join(box.home, 'global'), '9.0.0');
    runFrom(newer, box, ['status']);
    expect(fse.readFileSync(copy, 'utf8')).toContain('// 9.0.0');
    const module = join(box.root, '.claude/skills/holdfast/hooks/register.js');
    expect(fse.readFileSync(module, 'utf8')).toContain('// 9.0.0');
    const older = packageIn(join(box.home, 'other'), '8.0.0');
    runFrom(older, box, ['status']);
    expect(fse.readFileSync(copy, 'utf8')).toContain('// 9.0.0');
    fse.rmSync(dirname(copy), { recursive: true });
    fse.writeFileSync(dirname(copy), 'a file in the way');
    const newest = packageIn(join(box.home, 'global'), '10.0.0');
    expect(runFrom(newest, box, ['status'])).toMatchObject({
      code: 0,
      stderr: '',
    });
  });
});

describe('the slash commands', () => {
  it("call the user's copy even if a holdfast is on the PATH", () => {
    const box = sandbox();
    const folder = join(box.home, 'bin');
    fse.mkdirSync(folder);
    fse.writeFileSync(join(folder, 'holdfast'), '#!/bin/sh\n', { mode: 0o755 });
    const PATH = `${folder}:${process.env['PATH']}`;
    box.run(['init'], { env: { PATH } });
    const text = fse.readFileSync(
      join(box.root, '.claude/commands/holdfast/status.md'),
      'utf8',
    );
    const [, command = ''] = /!`(.+) status/.exec(text) ?? [];
    expect(command).toBe('holdfast');

    // What the client sources before each command of the session.
    const file = join(box.home, "it's a session.sh");
    const hook = registered(join(box.root, SETTINGS), 'SessionStart');
    const start = recorded('sessionstart-startup', {
      session_id: 's1',
      cwd: box.root,
    });
    fire(box, hook, start, { CLAUDE_ENV_FILE: file });
    const { stdout } = runOther(
      'sh',
      ['-c', '. "$1"; holdfast list', 'sh', file],
      {
        cwd: box.root,
        env: { PATH, HOME: box.home },
      },
    );
    expect(stdout).toContain('No runs');
  });
});

describe('uninstall', () => {
  it('removes the copy that hooks run, and nothing of the user’s beside it', () => {
    const box = sandbox({ [SETTINGS]: '{"hooks": {"Stop": []}}' });
    expect(box.run(['uninstall']).stdout).toBe(
      'holdfast is not installed here (scope local).\n',
    );
    box.run(['init']);
    box.run(['start', 'Shop']);
    const home = join(box.home, '.claude/holdfast');
    expect(fse.statSync(join(home, 'bin/holdfast')).mode & 0o777).toBe(0o755);
    expect(fse.readFileSync(join(home, 'bin/node-path'), 'utf8')).toBe(
      `${process.execPath}\n`,
    );
    for (const name of ['dist/mine.txt', 'bin/mine'])
      fse.writeFileSync(join(home, name), 'x');
    const { stdout } = box.run(['uninstall']);
    expect(stdout).toContain('Removed holdfast (scope local).');
    expect(stdout).toContain(
      'State files were kept: untracked/workflow-state.',
    );
    expect(fse.readFileSync(join(box.root, SETTINGS), 'utf8')).toBe(
      '{"hooks": {"Stop": []}}',
    );
    expect(fse.readdirSync(home)).toEqual(['bin', 'dist']);
    expect(fse.readdirSync(join(home, 'bin'))).toEqual(['mine']);
    expect(fse.readdirSync(join(home, 'dist'))).toEqual(['mine.txt']);
  });
});
