import { statSync } from 'node:fs';
import { join } from 'node:path';
import { runGit } from '../../io/run-git.ts';
import { digestOf } from '../../io/digest.ts';
import { LOGS_FOLDER, STATE_FOLDER, ARCHIVE_FOLDER } from '../../state/paths.ts';
import { entriesIn } from '../../io/folder-entries.ts';

const MAX_FILES = 2_000;

/**
 * Stands for the content of the work tree; null if it is too large to be looked at, and then nobody knows whether
 * anything has changed.
 */
export function treeMark(root: string): string | null {
  return gitMark(root) ?? folderMark(root);
}

/** The commit, and what differs from it with sizes and times. Null without git, or if git does not answer in time. */
function gitMark(root: string): string | null {
  const head = runGit(root, ['rev-parse', '--verify', '--quiet', 'HEAD']);
  const status = runGit(root, ['status', '--porcelain=v1', '-z', '--untracked-files=all']);
  if (head.kind !== 'ended' || status.kind !== 'ended' || status.code !== 0) return null;
  const entries = status.stdout.split('\0').filter((entry) => entry !== '');
  const marks = entries
    .slice(0, MAX_FILES)
    .map((entry) => `${entry} ${fileMark(join(root, entry.slice(3)))}`);
  return digestOf([head.stdout.trim(), entries.length, ...marks].join('\n'));
}

/** Files without git: looking at this many takes less than a second. */
const MAX_ENTRIES = 50_000;
const SKIPPED = new Set(['.git', 'node_modules']);

/** Every file with its size and time, except what holdfast itself writes. */
export function folderMark(root: string, maxEntries = MAX_ENTRIES): string | null {
  const own = new Set([STATE_FOLDER, ARCHIVE_FOLDER, LOGS_FOLDER].map((path) => join(root, path)));
  const marks: string[] = [];
  const waiting = [root];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const entry of entriesIn(folder)) {
      if (marks.length >= maxEntries) return null;
      const path = join(folder, entry.name);
      if (SKIPPED.has(entry.name) || own.has(path)) continue;
      if (entry.isDirectory()) waiting.push(path);
      marks.push(entry.isDirectory() ? path : `${path} ${fileMark(path)}`);
    }
  }
  return digestOf(marks.toSorted().join('\n'));
}

function fileMark(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? '-' : `${stat.size} ${stat.mtimeMs}`;
}
