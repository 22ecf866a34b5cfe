import { basename, dirname } from 'node:path';
import { runGit } from '../../io/run-git.ts';

/** Whether git tracks this file; false without git. */
export function isTracked(path: string): boolean {
  return listed(dirname(path), ['--', `:(literal)${basename(path)}`]).length > 0;
}

/** The names of the files in a folder that git tracks. */
export function trackedIn(folder: string): string[] {
  return listed(folder, []);
}

function listed(folder: string, words: readonly string[]): string[] {
  const answer = runGit(folder, ['ls-files', '-z', ...words]);
  return answer.kind === 'ended' && answer.code === 0
    ? answer.stdout.split('\0').filter((name) => name !== '')
    : [];
}
