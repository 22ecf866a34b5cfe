import { chmodSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { runGit } from '../../../src/files/run-git.ts';
import { git as plainGit } from '../../support/cli.ts';
import { makeProject, type Project } from '../../support/project.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const git = ({ root, outside }: Project, ...words: string[]): string =>
  plainGit({ root, home: outside }, ...words).trim();

const repository = (commits: string[] = ['first']): Project => {
  const project = makeProject({ 'a.md': 'a' });
  git(project, 'init', '-q', '-b', 'main');
  git(project, 'add', '.');
  for (const message of commits) git(project, 'commit', '-q', '--allow-empty', '-m', message);
  return project;
};

/** What it prints; empty where it fails. */
const answerOf = ({ root }: Project, ...words: string[]): string => {
  const result = runGit(root, words);
  return result.kind === 'ended' && result.code === 0 ? result.stdout.trim() : '';
};

test('the environment of another repository does not mislead it', () => {
  const project = repository();
  const other = repository(['other']);
  vi.stubEnv('GIT_DIR', other.at('.git'));
  vi.stubEnv('GIT_WORK_TREE', other.root);
  expect(answerOf(project, 'log', '--format=%s')).toBe('first');
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
    expect(answerOf(project, 'status', '--porcelain')).toBe('M a.md');
    expectUntouched(project, ['status']);
  });

  test('its hooks', () => {
    const project = repository();
    renameSync(witness(project), project.at('.git/hooks/post-index-change'));
    utimesSync(project.at('a.md'), 0, 0);
    expect(answerOf(project, 'status', '--porcelain')).toBe('');
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
    git(project, '-c', `gpg.program=${signer}`, 'commit', '-qS', '--allow-empty', '-m', 'signed');
    git(project, 'config', 'log.showSignature', 'true');
    git(project, 'config', 'gpg.program', witness(project));
    expect(answerOf(project, 'log', '--format=%s')).toBe('signed\nfirst');
    expectUntouched(project, ['log', '-1']);
  });

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
    expect(answerOf(project, 'log')).toBe('');
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
    expect(answerOf(sub, 'status', '--porcelain')).toBe('');
    expectUntouched(sub, ['status']);
  });
});
