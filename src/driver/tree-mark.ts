import { statSync } from 'node:fs';
import { join } from 'node:path';
import { runGit } from '../io/run-git.ts';
import { digestOf } from '../io/digest.ts';

const MAX_FILES = 2_000;

/**
 * Stands for the content of the work tree: the commit, and what differs from it with sizes and times. Null without git,
 * or if git does not answer in time: then nobody knows whether anything has changed.
 */
export function treeMark(root: string): string | null {
  const head = runGit(root, ['rev-parse', '--verify', '--quiet', 'HEAD']);
  const status = runGit(root, ['status', '--porcelain=v1', '-z', '--untracked-files=all']);
  if (head.kind !== 'ended' || status.kind !== 'ended' || status.code !== 0) return null;
  const entries = status.stdout.split('\0').filter((entry) => entry !== '');
  const marks = entries.slice(0, MAX_FILES).map((entry) => {
    const stat = statSync(join(root, entry.slice(3)), { throwIfNoEntry: false });
    return `${entry} ${stat?.size ?? '-'} ${stat?.mtimeMs ?? '-'}`;
  });
  return digestOf([head.stdout.trim(), entries.length, ...marks].join('\n'));
}
