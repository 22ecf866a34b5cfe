import { existsSync } from 'node:fs';
import { basename, dirname, relative, sep } from 'node:path';
import { runGit } from '../../io/run-git.ts';

/** Whether git tracks this file; false without git. */
export function isTracked(path: string): boolean {
  return listed(dirname(path), ['--', `:(literal)${basename(path)}`]).length > 0;
}

/** The names of the files in a folder that git tracks, also if they were removed and that is not committed yet. */
export function trackedIn(folder: string): string[] {
  let existing = folder;
  while (!existsSync(existing)) existing = dirname(existing);
  if (existing === folder) return listed(folder, []);
  const inside = relative(existing, folder).split(sep).join('/');
  const names = listed(existing, ['--', `:(literal)${inside}`]);
  return names.map((name) => name.slice(inside.length + 1));
}

function listed(folder: string, words: readonly string[]): string[] {
  const answer = runGit(folder, ['ls-files', '-z', ...words]);
  return answer.kind === 'ended' && answer.code === 0
    ? answer.stdout.split('\0').filter((name) => name !== '')
    : [];
}
