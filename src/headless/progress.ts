import { join } from 'node:path';
import fse from 'fs-extra';
import { digestOf } from '../text/slug.ts';
import { entriesIn } from '../files/read-file.ts';
import { runGit } from '../files/run-git.ts';
import { ARCHIVE_FOLDER, LOGS_FOLDER, STATE_FOLDER } from '../state/paths.ts';
import type { RunState } from '../state/types.ts';
import type { StepAt } from './run-now.ts';

/** Whether the driver turns on the spot: to be asked after each turn with where the run stood before and stands now. */
export type ProgressWatch = (before: StepAt, now: StepAt | null) => boolean;

/** So many turns in a row that change nothing are no accident. */
const MAX_IDLE_TURNS = 3;

/**
 * Tells when several turns in a row have changed neither the files nor the run. A step that has failed and is tried
 * again is at the same entry.
 */
export function watchProgress(root: string): ProgressWatch {
  let lastMark = '';
  let idleTurns = 0;
  return (before, now) => {
    if (now === null || now.isOver || now.entry !== before.entry) return false;
    const tree = treeMark(root) ?? `revision ${now.state.revision}`;
    const mark = `${now.entry} ${tree} ${progressMark(now.state)}`;
    idleTurns = mark === lastMark ? idleTurns + 1 : 1;
    lastMark = mark;
    return idleTurns >= MAX_IDLE_TURNS;
  };
}

/** What a turn changes without progress: counters, reasons of failures and records of sessions. */
const NO_PROGRESS: ReadonlySet<string> = new Set([
  'revision',
  'updated_at',
  'sessions',
  'hold',
  'context_metadata',
  'requested_advance',
  'failure',
  'status_reason',
  'adopted',
  'retries',
  'reason',
  'contextAction',
  'contextActionExecuted',
]);

/** Stands for what a turn can add to a run. */
function progressMark({ machine = {}, ...state }: RunState): string {
  const fields = [...Object.entries(state), ...Object.entries(machine)];
  const progress = fields.filter(([key]) => !NO_PROGRESS.has(key));
  return digestOf(JSON.stringify(progress));
}

/** Looking at this many takes less than a second. */
const MAX_FILES = 50_000;
const SKIPPED = new Set(['.git', 'node_modules']);

/**
 * Stands for the content of the work tree: the commit and what differs from it, or without git every file except what
 * holdfast itself writes, with sizes and times. Null if that is too much to be looked at, and then nobody knows whether
 * anything has changed.
 */
function treeMark(root: string): string | null {
  const inGit = filesInGit(root);
  const files = inGit?.files ?? filesBelow(root).map(sameName);
  if (files.length > MAX_FILES) return null;
  const marks = files.map(({ name, path }) => {
    const { size, mtimeMs } =
      fse.statSync(path, { throwIfNoEntry: false }) ?? {};
    return `${name} ${size} ${mtimeMs}`;
  });
  return digestOf([inGit?.head ?? '', ...marks.toSorted()].join('\n'));
}

/** `name` stands for the file in the mark. */
type MarkedFile = { name: string; path: string };

function sameName(path: string): MarkedFile {
  return { name: path, path };
}

/** What `git status` prints before the path: `?? notes.md`. */
const STATUS_CHARS = '?? '.length;

/** The commit and the files that differ from it; null without git. */
function filesInGit(
  root: string,
): { head: string; files: MarkedFile[] } | null {
  const head = runGit(root, ['rev-parse', '--verify', '--quiet', 'HEAD']);
  const status = runGit(root, [
    'status',
    '--porcelain=v1',
    '-z',
    '--untracked-files=all',
  ]);
  if (head.kind !== 'ended' || status.kind !== 'ended' || status.code !== 0)
    return null;
  const files = status.stdout.split('\0').map((line) => ({
    name: line,
    path: join(root, line.slice(STATUS_CHARS)),
  }));
  return { head: head.stdout, files };
}

/** Stops soon after more than can be looked at. */
function filesBelow(root: string): string[] {
  const ownFolders = [STATE_FOLDER, ARCHIVE_FOLDER, LOGS_FOLDER];
  const own = new Set(ownFolders.map((path) => join(root, path)));
  const files: string[] = [];
  const folders = [root];
  // The list of folders grows while it is read.
  for (const folder of folders) {
    if (files.length > MAX_FILES) break;
    for (const entry of entriesIn(folder)) {
      const path = join(folder, entry.name);
      if (SKIPPED.has(entry.name) || own.has(path)) continue;
      if (entry.isDirectory()) folders.push(path);
      else files.push(path);
    }
  }
  return files;
}
