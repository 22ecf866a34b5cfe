import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runGit } from '../../../src/files/run-git.ts';
import { makeProject, type Project } from '../../support/project.ts';

function environment({ outside }: Project): Record<string, string | undefined> {
  return { PATH: process.env['PATH'], HOME: outside, GIT_CONFIG_NOSYSTEM: '1' };
}

function repository(folder = ''): Project {
  const project = makeProject({ [`${folder}/file.txt`]: 'x' });
  const git = (...words: string[]): void => {
    execFileSync('git', words, { cwd: project.at(folder), env: environment(project) });
  };
  git('init', '-q');
  git('add', 'file.txt');
  return project;
}

describe('git is asked about a repository', () => {
  test('and answers', () => {
    const project = repository();
    expect(runGit(project.root, ['ls-files'], environment(project))).toEqual({
      kind: 'ended',
      code: 0,
      stdout: 'file.txt\n',
      stderr: '',
    });
  });

  test('and runs no program that the repository names', () => {
    const project = repository();
    project.write('evil.sh', `#!/bin/sh\ntouch ${project.at('executed')}\n`);
    chmodSync(project.at('evil.sh'), 0o755);
    const config = project.read('.git/config');
    project.write('.git/config', `${config}\tfsmonitor = ${project.at('evil.sh')}\n`);
    runGit(project.root, ['ls-files'], environment(project));
    runGit(project.root, ['status'], environment(project));
    expect(project.exists('executed')).toBe(false);
  });

  test('and not about a folder that only looks like one', () => {
    const project = repository();
    project.write('sub/file.txt', 'x');
    execFileSync('git', ['init', '-q', '--bare', project.at('sub')], { env: environment(project) });
    const answer = runGit(project.at('sub'), ['rev-parse', '--git-dir'], environment(project));
    expect(answer).toMatchObject({ kind: 'ended', code: 128 });
  });

  test('and not about another one that the environment names', () => {
    const project = repository('other');
    const named = { ...environment(project), GIT_DIR: project.at('other/.git') };
    const answer = runGit(project.root, ['rev-parse', '--git-dir'], named);
    expect(answer).toMatchObject({ kind: 'ended', code: 128 });
  });

  test('whose name a shell would read more in', () => {
    const project = repository('a&touch x;$(touch y)');
    const folder = project.at('a&touch x;$(touch y)');
    expect(runGit(folder, ['ls-files'], environment(project))).toMatchObject({
      stdout: 'file.txt\n',
    });
  });
});

test('says so outside a repository', () => {
  const project = makeProject();
  expect(runGit(project.root, ['ls-files'], { PATH: project.root })).toEqual({ kind: 'not there' });
});
