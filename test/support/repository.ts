import { execFileSync } from 'node:child_process';
import { makeProject, type Project } from './project.ts';

export interface RepositoryProject extends Project {
  git: (...words: string[]) => string;
}

/** A project in a real repository, isolated from the user's git configuration. */
export function makeRepository(tree: Record<string, string> = {}): RepositoryProject {
  const project = makeProject(tree);
  const git = (...words: string[]): string =>
    execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', ...words], {
      cwd: project.root,
      env: { PATH: process.env['PATH'], HOME: project.outside, GIT_CONFIG_NOSYSTEM: '1' },
      encoding: 'utf8',
    });
  git('init', '-q');
  return { ...project, git };
}
