import { chmodSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { gitInfo } from '../../../src/guidance/artifacts/prime.ts';
import { git as runGit } from '../../support/cli.ts';
import { makeProject, type Project } from '../../support/project.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const git = ({ root, outside }: Project, ...words: string[]): string =>
  runGit({ root, home: outside }, ...words).trim();

const repository = (commits: string[] = ['first']): Project => {
  const project = makeProject({ 'a.md': 'a' });
  git(project, 'init', '-q', '-b', 'main');
  git(project, 'add', '.');
  for (const message of commits)
    git(project, 'commit', '-q', '--allow-empty', '-m', message);
  return project;
};

const textOf = (root: string): string => {
  const loaded = gitInfo(root);
  if (loaded.kind !== 'text') throw new Error(JSON.stringify(loaded));
  return loaded.text;
};

test('branch, commit, whether anything is changed, and the last five commits', () => {
  const project = repository(['one', 'two', 'three', 'four', 'fünf', 'six']);
  const commit = git(project, 'rev-parse', 'HEAD');
  const [branch, head, dirty, title, ...commits] = textOf(project.root).split(
    '\n',
  );
  expect([branch, head, dirty, title]).toEqual([
    'branch: main',
    `commit: ${commit}`,
    'dirty: no',
    'last commits:',
  ]);
  expect(commits).toHaveLength(5);
  expect(commits[0]).toBe(git(project, 'log', '-1', '--format=%h %cs six'));
  expect(commits[1]).toMatch(/ fünf$/);
});

test('a detached HEAD, and a repository without a commit', () => {
  const project = repository();
  git(project, 'checkout', '-q', '--detach');
  expect(textOf(project.root)).toContain('branch: none (detached HEAD)\n');
  const fresh = makeProject();
  git(fresh, 'init', '-q', '-b', 'main');
  expect(textOf(fresh.root)).toBe('branch: main\ncommit: none yet\ndirty: no');
});

test('without the git program, reads git’s files', () => {
  const project = repository();
  const commit = git(project, 'rev-parse', 'HEAD');
  vi.stubEnv('PATH', project.outside);
  expect(textOf(project.root)).toBe(
    `branch: main\ncommit: ${commit}\ndirty: unknown`,
  );
});

test('the environment of another repository does not mislead it', () => {
  const project = repository();
  const other = repository(['other']);
  vi.stubEnv('GIT_DIR', other.at('.git'));
  vi.stubEnv('GIT_WORK_TREE', other.root);
  expect(textOf(project.root)).toMatch(/ first$/);
});

describe('nothing that the repository names is run', () => {
  const script = ({ outside }: Project, ...lines: string[]): string => {
    const path = join(outside, `script-${lines.length}.sh`);
    writeFileSync(path, ['#!/bin/sh', ...lines, ''].join('\n'));
    chmodSync(path, 0o755);
    return path;
  };
  const witness = (project: Project): string =>
    script(project, `/bin/touch '${project.outside}/hit'`);

  /** That git by itself would have run it shows that there was something to run. */
  const expectUntouched = (project: Project, byItself: string[]): void => {
    expect(project.exists('../outside/hit')).toBe(false);
    git(project, ...byItself);
    expect(project.exists('../outside/hit')).toBe(true);
  };

  test('its file monitor', () => {
    const project = repository();
    git(project, 'config', 'core.fsmonitor', witness(project));
    project.write('a.md', 'changed');
    expect(textOf(project.root)).toContain('dirty: yes, 1 path\n');
    expectUntouched(project, ['status']);
  });

  test('its hooks', () => {
    const project = repository();
    renameSync(witness(project), project.at('.git/hooks/post-index-change'));
    utimesSync(project.at('a.md'), 0, 0);
    expect(textOf(project.root)).toContain('dirty: no\n');
    expectUntouched(project, ['status']);
  });

  test('its program for signatures', () => {
    const project = repository();
    const signer = script(
      project,
      '/bin/cat > /dev/null',
      'echo "[GNUPG:] SIG_CREATED " >&2',
      'echo "-----BEGIN PGP SIGNATURE-----"',
      'echo "-----END PGP SIGNATURE-----"',
    );
    git(
      project,
      '-c',
      `gpg.program=${signer}`,
      'commit',
      '-qS',
      '--allow-empty',
      '-m',
      'signed',
    );
    git(project, 'config', 'log.showSignature', 'true');
    git(project, 'config', 'gpg.program', witness(project));
    expect(textOf(project.root)).toMatch(/ signed\n.+ first$/);
    expectUntouched(project, ['log', '-1']);
  });

  test.each([
    ['its configuration', (config: string) => config],
    [
      'a configuration too large to be read',
      (config: string) => config + '#'.repeat(1_100_000),
    ],
    [
      'a file that the configuration includes',
      () => '[include]\npath = more\n',
    ],
  ])(
    'its filters, then whether anything is changed stays unknown: in %s',
    (_case, content) => {
      const project = repository();
      project.write('.gitattributes', '* filter=evil\n');
      git(project, 'config', 'filter.evil.clean', witness(project));
      const config = project.read('.git/config');
      project.write('.git/more', config);
      project.write('.git/config', content(config));
      project.write('a.md', 'b');
      expect(textOf(project.root)).toContain('dirty: unknown\n');
      expectUntouched(project, ['status']);
    },
  );

  test('its way to fetch missing objects', () => {
    const project = repository();
    project.write(
      '.git/config',
      `[core]
      repositoryFormatVersion = 1
      [extensions]
      partialClone = evil
      [remote "evil"]
      url = .
      promisor = true
      uploadPack = ${witness(project)}
      [protocol "file"]
      allow = always
      `,
    );
    project.write('.git/refs/heads/main', `${'1'.repeat(40)}\n`);
    expect(textOf(project.root)).toBe(
      `branch: main\ncommit: ${'1'.repeat(40)}\ndirty: unknown`,
    );
    expectUntouched(project, ['-c', 'alias.try=!git log; true', 'try']);
  });

  test('what a folder of the project names that looks like a repository', () => {
    const project = repository();
    project.write('sub/a.md', 'a');
    const sub = { ...project, root: project.at('sub') };
    git(sub, 'init', '-q', '--bare', '.');
    git(sub, '--git-dir=.', '--work-tree=.', 'add', 'a.md');
    git(sub, '--git-dir=.', 'config', 'core.bare', 'false');
    git(sub, '--git-dir=.', 'config', 'core.worktree', '.');
    git(sub, '--git-dir=.', 'config', 'filter.evil.clean', witness(project));
    project.write('sub/.gitattributes', '* filter=evil\n');
    project.write('sub/a.md', 'b');
    expect(textOf(sub.root)).toMatch(
      /^branch: main\ncommit: [0-9a-f]{40}\ndirty: unknown$/,
    );
    expectUntouched(sub, ['status']);
  });
});
