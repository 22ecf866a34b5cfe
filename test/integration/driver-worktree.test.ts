import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { drivenProject, type Driven } from '../support/driven.ts';
import { prompts, START, template } from '../support/driven-templates.ts';
import { sharedFolder } from '../support/shared-folder.ts';
import { archived, onlyRun, stateFiles } from '../support/state.ts';

interface Committed extends Driven {
  git: (...words: string[]) => string;
  /** The worktrees beside the checkout. */
  worktrees: () => string[];
}

/** A project whose files are committed. */
function committed(tree: Record<string, string>): Committed {
  const box = inRepository(drivenProject(tree));
  // Without the examples of hooks that git brings.
  box.git('init', '--quiet', '--template=');
  box.git('add', '--all');
  box.git('commit', '--quiet', '--message', 'start');
  return box;
}

function inRepository(box: Driven): Committed {
  const git = (...words: string[]): string =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.invalid', ...words], {
      cwd: box.root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  const worktrees = (): string[] =>
    git('worktree', 'list', '--porcelain')
      .split('\n')
      .flatMap((line) => (line.startsWith('worktree ') ? [line.slice('worktree '.length)] : []))
      .slice(1);
  return { ...box, git, worktrees };
}

const THREE = template(`  - {id: plan, type: action, instructions: PLAN}
  - {id: build, type: action, instructions: BUILD}
  - {id: ship, type: action, instructions: SHIP}
`);

interface Begun {
  box: Committed;
  run: string;
}

/** The files of the first project that `begun` made, and the folder that they were in. */
let original: { files: string; base: string } | null = null;

/** A committed project with a run whose first step is finished in the checkout. */
function begun(): Begun {
  if (original !== null) return copied(original.files, original.base);
  const box = committed(THREE);
  const run = doFirstStep(box);
  const base = dirname(box.root);
  const files = mkdtempSync(join(sharedFolder(), 'begun-'));
  cpSync(base, files, { recursive: true });
  original = { files, base };
  return { box, run };
}

function doFirstStep(box: Driven): string {
  expect(box.drive([...START, '--step'])).toMatchObject({ code: 0 });
  return onlyRun(box.root).run_id ?? '';
}

function copied(files: string, formerBase: string): Begun {
  const box = inRepository(drivenProject({}));
  const base = dirname(box.root);
  cpSync(files, base, { recursive: true });
  // The home folder knows the project by its path.
  for (const entry of readdirSync(box.home, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const text = readFileSync(path, 'utf8');
    if (text.includes(formerBase)) writeFileSync(path, text.replaceAll(formerBase, base));
  }
  return { box, run: onlyRun(box.root).run_id ?? '' };
}

describe('a run that exists', () => {
  it('is moved to a worktree, works there, and leaves its record in the checkout when it is complete', () => {
    const { box, run } = begun();
    box.script([[], [{ run: 'echo hi > new.txt; holdfast advance' }]]);
    writeFileSync(join(box.fake, 'turn'), '1');
    const result = box.drive([run, '--worktree', 'login']);
    expect(result).toMatchObject({ code: 0 });
    expect(prompts(box)).toEqual(['plan', 'build', 'ship']);
    const [folder = ''] = box.worktrees();
    expect(basename(folder)).toContain('login');
    expect(existsSync(join(folder, 'new.txt'))).toBe(true);
    expect(existsSync(join(box.root, 'new.txt'))).toBe(false);
    expect(result.stderr).toContain(`kept ${folder}, on the branch holdfast/login-`);
    expect(result.stderr).toContain(`${run} is back in ${box.root}`);
    // A conversation belongs to its folder.
    const [first, second] = box.calls('start');
    expect(second).toMatchObject({ cwd: folder });
    expect(second?.session).toBe(first?.session);
    expect(second?.args).not.toContain('--resume');
    expect(stateFiles(box.root)).toEqual([]);
    expect(archived(box.root)).toContain(`${run}.json`);
    const history = box.run(['history', run]).stdout;
    expect(history).toContain(`moved to ${folder}`);
    expect(history).toContain('finished step 3 of 3 (ship)');
    expect(box.drive([run]).stderr).toContain('is completed');
    const log = join(box.root, 'untracked/workflow-logs', run);
    expect(readdirSync(join(log, basename(folder)))).toContain('events.jsonl');
    expect(existsSync(join(log, 'driver.json'))).toBe(false);
  });

  it('comes back unfinished if nothing was changed in the worktree, which is removed', () => {
    const { box, run } = begun();
    const result = box.drive([run, '--worktree', '--step']);
    expect(result).toMatchObject({ code: 0 });
    expect(result.stderr).toContain('nothing was changed in it');
    expect(result.stderr).toContain(`${run} is back in ${box.root}`);
    expect(result.stdout).toContain(`\`holdfast run ${run} --step\``);
    expect(box.worktrees()).toEqual([]);
    expect(box.git('branch', '--list', 'holdfast/*')).toBe('');
    const state = onlyRun(box.root);
    expect(state).toMatchObject({ status: 'in_progress', machine: { step: 'ship' } });
    expect(state).not.toHaveProperty('moved_to');
    expect(state).not.toHaveProperty('moved_from');
    expect(box.drive([run])).toMatchObject({ code: 0, stderr: '' });
    expect(prompts(box)).toEqual(['plan', 'build', 'ship']);
  });

  it('may be named after --worktree, where the parser takes it for the name of the worktree', () => {
    const { box, run } = begun();
    box.run(['start', '--template', 'release', 'Another one']);
    const result = box.drive(['--worktree', run, '--step']);
    expect(result).toMatchObject({ code: 0 });
    expect(result.stderr).toContain(`${run} is back in ${box.root}`);
  });

  it('stays in a worktree with changes, and every command of the checkout says where it is', () => {
    const { box, run } = begun();
    box.script([[], [{ run: 'echo hi > new.txt; holdfast advance' }]]);
    writeFileSync(join(box.fake, 'turn'), '1');
    const result = box.drive([run, '--worktree', '--step']);
    const [folder = ''] = box.worktrees();
    expect(result.stderr).toContain(`kept ${folder}`);
    expect(result.stderr).toContain(`${run} is there`);
    expect(result.stdout).toContain(`holdfast --cwd ${folder} run ${run}`);
    const status = box.run(['status', run]);
    expect(status.stdout).toContain(`moved to ${folder}`);
    for (const words of [
      ['resume', run],
      ['advance', run],
      ['cancel', run, '--reason', 'no'],
      ['update', run, '--remind', 'x'],
      ['export', run],
    ]) {
      const refused = box.run(words, { session: 'interactive' });
      expect({ words, ...refused }).toMatchObject({ code: 1 });
      expect(refused.stderr).toContain(`${run} was moved to ${folder} and continues there`);
    }
    const plan = box.drive([run, '--dry-run']);
    expect(plan.stderr).toContain(`${run} is in the worktree ${folder}`);
    expect(plan.stdout).toContain('▸ ship');
    // In the checkout, too, `run` goes on where the run is.
    const rest = box.drive([run, '--worktree']);
    expect(rest).toMatchObject({ code: 0 });
    expect(box.worktrees()).toEqual([folder]);
    expect(prompts(box)).toEqual(['plan', 'build', 'ship']);
    expect(box.calls('start').at(-1)).toMatchObject({ cwd: folder });
    expect(archived(box.root)).toContain(`${run}.json`);
  });

  it('is continued in the folder of the worktree itself, which is not taken away from the caller', () => {
    const { box, run } = begun();
    box.script([[], [{ run: 'echo hi > new.txt; holdfast advance' }]]);
    writeFileSync(join(box.fake, 'turn'), '1');
    box.drive([run, '--worktree', '--step']);
    const [folder = ''] = box.worktrees();
    rmSync(join(folder, 'new.txt'));
    const rest = box.drive([run], { cwd: folder });
    expect(rest).toMatchObject({ code: 0 });
    expect(existsSync(folder)).toBe(true);
    expect(archived(box.root)).toContain(`${run}.json`);
    expect(stateFiles(box.root)).toEqual([]);
  });

  it('is told what the worktree does not have', () => {
    const box = committed({ ...THREE, 'README.md': 'hello' });
    writeFileSync(join(box.root, 'spec.md'), 'SPEC');
    const run = doFirstStep(box);
    expect(box.run(['update', run, '--read', 'spec.md', '--read', 'README.md']).code).toBe(0);
    writeFileSync(join(box.root, 'README.md'), 'changed');
    const { stderr } = box.drive([run, '--worktree', '--step']);
    expect(stderr).toMatch(/changes that are not committed stay in .*: README\.md, spec\.md/);
    expect(stderr).toMatch(/git does not have them: spec\.md$/m);
  });

  it('can be continued in the checkout after the worktree was deleted, but only if the user says so', () => {
    const { box, run } = begun();
    box.script([[], [{ run: 'echo hi > new.txt; holdfast advance' }]]);
    writeFileSync(join(box.fake, 'turn'), '1');
    box.drive([run, '--worktree', '--step']);
    const [folder = ''] = box.worktrees();
    rmSync(folder, { recursive: true });
    const lost = box.drive([run]);
    expect(lost).toMatchObject({ code: 1 });
    expect(lost.stderr).toContain(`${run} was moved to ${folder}, where it no longer is`);
    expect(lost.stderr).toContain(`holdfast resume ${run}`);
    expect(box.drive([run, '--dry-run']).stderr).toContain('where it no longer is');
    expect(box.run(['resume', run]).code).toBe(0);
    expect(box.drive([run])).toMatchObject({ code: 0, stderr: '' });
    expect(prompts(box)).toEqual(['plan', 'build', 'build', 'ship']);
  });

  it('is not moved while a live session holds it, nor by a second driver', async () => {
    const box = committed(THREE);
    box.run(['start', '--template', 'release'], { session: 'interactive' });
    const held = box.drive(['release', '--worktree']);
    expect(held.stderr).toContain('belongs to the live session interactive');
    const [{ run_id: run = '' }] = [onlyRun(box.root)];
    box.run(['release', run], { session: 'interactive' });
    box.script([[{ run: 'true' }, { until: 'go' }, { run: 'touch new.txt; holdfast advance' }]]);
    const running = box.begin([run, '--worktree']);
    await running.says('Bash true');
    for (const words of [[run, '--worktree'], [run]]) {
      const second = box.drive(words);
      expect(second.code).toBe(1);
      expect(second.stderr).toContain(`driven already, by process ${running.child.pid}`);
    }
    expect(box.worktrees()).toHaveLength(1);
    writeFileSync(join(box.fake, 'go'), '');
    expect(await running.ended).toMatchObject({ code: 0 });
    expect(prompts(box)).toEqual(['plan', 'build', 'ship']);
  });

  it('is not moved away from a client that a killed driver has left at work', async () => {
    const box = committed(THREE);
    box.script([[{ run: 'true' }, { until: 'go' }, { run: 'holdfast advance' }]]);
    const running = box.begin(START);
    await running.says('Bash true');
    running.child.kill('SIGKILL');
    await running.ended;
    const run = onlyRun(box.root).run_id ?? '';
    const refused = box.drive([run, '--worktree']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`a client still works on ${run} here`);
    expect(box.worktrees()).toEqual([]);
    writeFileSync(join(box.fake, 'go'), '');
    expect(box.drive([run]).code).toBe(0);
    expect(prompts(box)).toEqual(['plan', 'build', 'ship']);
  });

  it('stays where it is if there can be no worktree', () => {
    const { box, run } = begun();
    box.git('add', '--force', stateFiles(box.root)[0] ?? '');
    box.git('commit', '--quiet', '--message', 'state files do not belong here');
    const refused = box.drive([run, '--worktree']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`already has a run ${run}`);
    expect(box.worktrees()).toEqual([]);
    expect(onlyRun(box.root)).toMatchObject({ status: 'in_progress', machine: { step: 'build' } });
    rmSync(join(box.root, '.git'), { recursive: true });
    expect(box.drive([run, '--worktree']).stderr).toContain('is not a git repository');
    expect(box.drive([run, '--worktree', '--dry-run']).stderr).toContain('is not a git repository');
    expect(box.drive([run])).toMatchObject({ code: 0, stderr: '' });
  });

  it('does not follow a state file to a project that has never heard of it', () => {
    const { box, run } = begun();
    const [path = ''] = stateFiles(box.root);
    const other = join(box.home, 'other');
    mkdirSync(join(other, dirname(path)), { recursive: true });
    const state = JSON.parse(readFileSync(join(box.root, path), 'utf8'));
    const moved = { path: other, id: 'x', arrived: true, was: { status: 'in_progress' } };
    writeFileSync(
      join(other, path),
      JSON.stringify({ ...state, moved_from: { path: box.root, id: 'x', base: 'x' } }),
    );
    writeFileSync(
      join(box.root, path),
      JSON.stringify({ ...state, status: 'paused', moved_to: moved }),
    );
    const before = box.calls('start').length;
    expect(box.drive([run]).stderr).toContain('where it no longer is');
    expect(box.calls('start')).toHaveLength(before);
  });

  it('is synced where it is: what was left behind neither pauses it nor comes to life', () => {
    const { box, run } = begun();
    box.git('init', '--quiet', '--bare', '--template=', join(box.home, 'hub'));
    box.git('remote', 'add', 'origin', join(box.home, 'hub'));
    expect(box.run(['sync', 'on', 'origin']).code).toBe(0);
    expect(box.run(['sync']).code).toBe(0);
    box.script([[], [{ run: 'echo hi > new.txt; holdfast advance' }]]);
    writeFileSync(join(box.fake, 'turn'), '1');
    box.drive([run, '--worktree', '--step']);
    const [folder = ''] = box.worktrees();
    for (const cwd of [box.root, folder, box.root, folder])
      expect(box.run(['sync'], { cwd })).toMatchObject({
        code: 0,
        stdout: expect.not.stringContaining('Changed in two places'),
      });
    expect(onlyRun(folder)).toMatchObject({ status: 'in_progress', machine: { step: 'ship' } });
    expect(onlyRun(box.root)).toMatchObject({ status: 'paused', moved_to: { path: folder } });
    expect(box.drive([run])).toMatchObject({ code: 0 });
    for (const cwd of [box.root, folder]) expect(box.run(['sync'], { cwd }).code).toBe(0);
    expect(archived(box.root)).toContain(`${run}.json`);
    expect(prompts(box)).toEqual(['plan', 'build', 'ship']);
  });

  it('works in a folder below the top of its repository', () => {
    const box = committed({ 'packages/app/.claude/holdfast/workflows/release.yaml': '' });
    const [text = ''] = Object.values(THREE);
    const app = join(box.root, 'packages/app');
    writeFileSync(join(app, '.claude/holdfast/workflows/release.yaml'), text);
    box.git('commit', '--quiet', '--all', '--message', 'template');
    expect(box.drive([...START, '--step'], { cwd: app }).code).toBe(0);
    const run = onlyRun(app).run_id ?? '';
    expect(box.drive([run, '--worktree'], { cwd: app })).toMatchObject({ code: 0 });
    expect(box.calls('start').at(-1)?.cwd).toMatch(/-release-[\d-]+\/packages\/app$/);
    expect(archived(app)).toContain(`${run}.json`);
    expect(box.worktrees()).toEqual([]);
  });
});

/** Loaded before holdfast: kills it after one of its writes. */
const KILL = fileURLToPath(new URL('../support/kill-after.cjs', import.meta.url));

interface Write {
  call: 'renameSync' | 'mkdirSync' | 'cpSync';
  path: string;
  has?: string;
  lacks?: string;
}

const killAfter = (write: Write): Record<string, string> => ({
  NODE_OPTIONS: `--require ${KILL}`,
  KILL_AFTER: JSON.stringify(write),
});

const CHECKOUT = '/project/untracked';
const WORKTREE = '/project-release-[^/]+/untracked';
const STATE = 'workflow-state/release/state-';
const JOURNAL = 'workflow-state/release/events-';

/** The folders in which the run can be continued. */
function openPlaces(box: Committed): string[] {
  return [box.root, ...box.worktrees()].filter((folder) =>
    stateFiles(folder).some(
      (path) => JSON.parse(readFileSync(join(folder, path), 'utf8')).status === 'in_progress',
    ),
  );
}

function advances(box: Committed, run: string): number {
  const path = join(box.root, 'untracked/workflow-archive', `${run}.events.jsonl`);
  return readFileSync(path, 'utf8').match(/"event":"advanced"/g)?.length ?? 0;
}

describe('a move that is killed goes on with the next `run`, and the run is never in two places', () => {
  const moves: [string, Write][] = [
    [
      'after the run is paused in the checkout',
      { call: 'renameSync', path: `${CHECKOUT}/${STATE}`, has: '"arrived": false' },
    ],
    ['after the worktree is there', { call: 'mkdirSync', path: `${WORKTREE}/workflow-state$` }],
    ['after the journal is there', { call: 'renameSync', path: `${WORKTREE}/${JOURNAL}` }],
    ['after the run is there', { call: 'renameSync', path: `${WORKTREE}/${STATE}` }],
    [
      'after the checkout knows that',
      { call: 'renameSync', path: `${CHECKOUT}/${STATE}`, has: '"arrived": true' },
    ],
    [
      'after the run is paused in the worktree, to come back',
      { call: 'renameSync', path: `${WORKTREE}/${STATE}`, has: '"moved_to"' },
    ],
    [
      'after its journal is back',
      { call: 'renameSync', path: `${CHECKOUT}/${JOURNAL}`, has: '"to":"[^"]*/project"' },
    ],
    [
      'after it is back',
      {
        call: 'renameSync',
        path: `${CHECKOUT}/${STATE}`,
        has: '"step": "ship"',
        lacks: 'moved_to',
      },
    ],
    ['after its log is back', { call: 'cpSync', path: `${CHECKOUT}/workflow-logs/.*/project-` }],
  ];

  it.each(moves)('%s', (_name, write) => {
    const { box, run } = begun();
    const killed = box.drive([run, '--worktree', '--step'], { env: killAfter(write) });
    expect(killed.code).not.toBe(0);
    expect(killed.stdout + killed.stderr).not.toContain('is back in');
    expect(openPlaces(box).length).toBeLessThan(2);
    const rest = box.drive([run]);
    expect(rest).toMatchObject({ code: 0 });
    expect(openPlaces(box)).toEqual([]);
    expect(archived(box.root)).toContain(`${run}.json`);
    expect(prompts(box)).toEqual(['plan', 'build', 'ship']);
    expect(advances(box, run)).toBe(3);
  });

  const ends: [string, Write][] = [
    [
      'after the run was finished and archived in the worktree',
      { call: 'renameSync', path: `${CHECKOUT}/${JOURNAL}`, has: '\\(ship\\)' },
    ],
    [
      'after its record is in the archive of the checkout',
      { call: 'renameSync', path: `${CHECKOUT}/workflow-archive/.*[0-9]\\.json$` },
    ],
    [
      'after its journal is in the archive of the checkout',
      { call: 'renameSync', path: `${CHECKOUT}/workflow-archive/.*\\.jsonl$` },
    ],
  ];

  it.each(ends)('%s', (_name, write) => {
    const { box, run } = begun();
    box.script([[], [{ run: 'touch new.txt; holdfast advance' }]]);
    writeFileSync(join(box.fake, 'turn'), '1');
    expect(box.drive([run, '--worktree'], { env: killAfter(write) }).code).not.toBe(0);
    expect(openPlaces(box)).toEqual([]);
    expect(box.drive([run]).stderr).toContain(`${run} is completed`);
    expect(box.run(['status', run]).stdout).toContain('completed');
    expect(openPlaces(box)).toEqual([]);
    expect(advances(box, run)).toBe(3);
    expect(box.worktrees()).toHaveLength(1);
  });

  it('while git creates the worktree', () => {
    const { box, run } = begun();
    const bin = join(box.home, 'git-bin');
    mkdirSync(bin);
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    writeFileSync(
      join(bin, 'git'),
      `#!/bin/sh\ncase "$*" in *"worktree add"*) kill -9 $PPID ;; esac\nexec ${real} "$@"\n`,
      { mode: 0o755 },
    );
    const env = { PATH: `${bin}:${box.env['PATH']}` };
    expect(box.drive([run, '--worktree'], { env, ownProcess: true }).code).not.toBe(0);
    expect(openPlaces(box)).toEqual([]);
    const rest = box.drive([run]);
    expect(rest).toMatchObject({ code: 0 });
    expect(rest.stderr).toContain('it is moved again');
    expect(prompts(box)).toEqual(['plan', 'build', 'ship']);
    expect(box.calls('start').at(-1)?.cwd).toContain('project-release-');
    expect(archived(box.root)).toContain(`${run}.json`);
  });
});
