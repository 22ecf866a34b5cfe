import { join } from 'node:path';
import fse from 'fs-extra';
import { digestOf } from '../text/slug.ts';
import { entriesIn } from '../files/read-file.ts';
import { runGit } from '../files/run-git.ts';
import { ARCHIVE_FOLDER, LOGS_FOLDER, STATE_FOLDER } from '../state/paths.ts';
import type { StepAt } from './step.ts';

/** To be asked after each turn: whether three in a row changed neither files nor run. A retry is at the same entry. */
export function watchProgress(
  root: string,
): (before: StepAt, now: StepAt | null) => boolean {
  let marks: string[] = [];
  return (before, now) => {
    if (now === null || now.isOver || now.entry !== before.entry) return false;
    const { machine = {}, ...state } = now.state;
    const tree = treeMark(root) ?? `revision ${state.revision}`;
    // What a turn can add to a run.
    const added = [...Object.entries(state), ...Object.entries(machine)];
    const progress = added.filter(([key]) => !NO_PROGRESS.has(key));
    const mark = `${now.entry} ${tree} ${digestOf(JSON.stringify(progress))}`;
    marks = marks.at(-1) === mark ? [...marks, mark] : [mark];
    return marks.length >= 3;
  };
}

/** What a turn changes without progress: counters, reasons of failures and records of sessions. */
const NO_PROGRESS = new Set(
  'revision updated_at sessions hold context_metadata requested_advance failure status_reason adopted retries reason contextAction contextActionExecuted'.split(
    ' ',
  ),
);

/** Looking at this many takes less than a second. */
const MAX_FILES = 50_000;
const SKIPPED = new Set(['.git', 'node_modules']);

/**
 * Stands for the content of the work tree: the commit and what differs from it, or without git every file except what
 * holdfast itself writes, with sizes and times. Null if that is too much to be looked at, and then nobody knows whether
 * anything has changed.
 */
function treeMark(root: string, maxFiles = MAX_FILES): string | null {
  const head = runGit(root, ['rev-parse', '--verify', '--quiet', 'HEAD']);
  const status = runGit(root, [
    'status',
    '--porcelain=v1',
    '-z',
    '--untracked-files=all',
  ]);
  const isGit =
    head.kind === 'ended' && status.kind === 'ended' && status.code === 0;
  const entries = isGit
    ? status.stdout
        .split('\0')
        .map((entry) => [entry, join(root, entry.slice(3))] as const)
    : filesBelow(root, maxFiles).map((path) => [path, path] as const);
  if (entries.length > maxFiles) return null;
  const marks = entries.map(([name, path]) => {
    const { size, mtimeMs } =
      fse.statSync(path, { throwIfNoEntry: false }) ?? {};
    return `${name} ${size} ${mtimeMs}`;
  });
  return digestOf([isGit ? head.stdout : '', ...marks.toSorted()].join('\n'));
}

/** At most a few more than `max`. */
function filesBelow(root: string, max: number): string[] {
  const own = new Set(
    [STATE_FOLDER, ARCHIVE_FOLDER, LOGS_FOLDER].map((path) => join(root, path)),
  );
  const files: string[] = [];
  const waiting = [root];
  for (let at = 0; at < waiting.length && files.length <= max; at += 1) {
    const folder = waiting[at] ?? root;
    for (const entry of entriesIn(folder)) {
      const path = join(folder, entry.name);
      if (SKIPPED.has(entry.name) || own.has(path)) continue;
      (entry.isDirectory() ? waiting : files).push(path);
    }
  }
  return files;
}
