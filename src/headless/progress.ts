import { statSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf } from '../text/digest.ts';
import { entriesIn } from '../files/read-file.ts';
import { runGit } from '../files/run-git.ts';
import { ARCHIVE_FOLDER, LOGS_FOLDER, STATE_FOLDER } from '../state/paths.ts';
import type { RunState } from '../state/types.ts';
import type { StepAt } from './step.ts';

const STUCK_AFTER = 3;

/** Notices turns that change neither the files nor the run. */
export class ProgressWatch {
  #marks: string[] = [];

  constructor(private readonly root: string) {}

  /** After each turn; `now` is where the run stands. A step that has failed and is tried again is at the same entry. */
  isStuck(before: StepAt, now: StepAt | null): boolean {
    if (now === null || now.isOver || now.entry !== before.entry) {
      this.#marks = [];
      return false;
    }
    const { state } = now.run;
    const tree = treeMark(this.root) ?? `revision ${state.revision}`;
    const mark = `${now.entry} ${tree} ${runMark(state)}`;
    this.#marks = this.#marks.at(-1) === mark ? [...this.#marks, mark] : [mark];
    return this.#marks.length >= STUCK_AFTER;
  }
}

/** What a turn changes without progress: counters, reasons of failures and records of sessions. */
const NO_PROGRESS = new Set(
  'revision updated_at sessions hold context_metadata requested_advance failure status_reason adopted retries reason contextAction contextActionExecuted'.split(
    ' ',
  ),
);

/** Stands for what a turn can add to a run. */
function runMark({ machine = {}, ...state }: RunState): string {
  const entries = [...Object.entries(state), ...Object.entries(machine)];
  return digestOf(JSON.stringify(entries.filter(([key]) => !NO_PROGRESS.has(key))));
}

const MAX_FILES = 2_000;

/**
 * Stands for the content of the work tree: the commit, and what differs from it with sizes and times. Null if it is too
 * large to be looked at, and then nobody knows whether anything has changed.
 */
function treeMark(root: string): string | null {
  const head = runGit(root, ['rev-parse', '--verify', '--quiet', 'HEAD']);
  const status = runGit(root, ['status', '--porcelain=v1', '-z', '--untracked-files=all']);
  if (head.kind !== 'ended' || status.kind !== 'ended' || status.code !== 0)
    return folderMark(root);
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
