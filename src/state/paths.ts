import type { RunState, Source } from './types.ts';
import { hasHiddenCharacters } from '../text/sanitize.ts';

/** Paths below untracked/, relative to the project root, with forward slashes. */
const UNTRACKED = 'untracked';
export const STATE_FOLDER = `${UNTRACKED}/workflow-state`;
export const ARCHIVE_FOLDER = `${UNTRACKED}/workflow-archive`;
export const LOGS_FOLDER = `${UNTRACKED}/workflow-logs`;
export const LOCK_FILE = `${STATE_FOLDER}/.lock`;
export const LOG_FILE = `${STATE_FOLDER}/holdfast.log`;
/** Written by versions up to 0.1, and read by none since: what hooks remember is in the user's folder. */
export const FORMER_HOOK_FILE = `${STATE_FOLDER}/hooks.json`;
export const SOURCE_RECORDS_FILE = `${STATE_FOLDER}/sources.json`;
/** Which runs were purged whose end `sync` has yet to send; only where sync was ever on. */
export const PURGED_FILE = `${STATE_FOLDER}/purged.json`;
export const TODO_RECORD_FILE = `${STATE_FOLDER}/todo.json`;

export interface RunName {
  slug: string;
  /** From the file's name, or written by hand in the state file. */
  runId: string;
}

export const runFolder = ({ slug }: Pick<RunName, 'slug'>): string =>
  `${STATE_FOLDER}/${slug}`;
export const stateFile = (name: RunName): string =>
  `${runFolder(name)}/state-${name.runId}.json`;
export const journalFile = (name: RunName): string =>
  journalBeside(stateFile(name));
export const archivedState = (runId: string): string =>
  `${ARCHIVE_FOLDER}/${runId}.json`;
export const archivedJournal = (runId: string): string =>
  `${ARCHIVE_FOLDER}/${runId}.events.jsonl`;
export const logFolder = (runId: string): string => `${LOGS_FOLDER}/${runId}`;
/** Who drives a run, which client works for it, and what the next driver needs to know. */
export const driverFile = (runId: string): string =>
  `${logFolder(runId)}/driver.json`;

export const MAX_PLAN_BYTES = 65_536;

/** The plan that is kept with a run whose state has its text; null for none. Whoever wrote the state names no other file. */
export function planFileOf({
  source,
}: RunState): { path: string; text: string } | null {
  const { path = '', text }: Partial<Source> = source ?? {};
  const isOwn = /^untracked\/workflow-state\/[^/.][^/]*\/[^/]+\.md$/.test(path);
  return isOwn && typeof text === 'string' ? { path, text } : null;
}

/** The journal of a state file is named after the file, also if the run has an id that was written by hand. */
export function journalBeside(statePath: string): string {
  return statePath.replace(/state-([^/]+)\.json$/s, 'events-$1.jsonl');
}

export const journalOf = (run: { runId: string; path: string }): string =>
  isArchived(run) ? archivedJournal(run.runId) : journalBeside(run.path);

/** Whether a run id written by hand can name files and can be typed as an argument. */
export const isUsableRunId = (id: unknown): id is string =>
  typeof id === 'string' &&
  /^(?!-)[A-Za-z0-9._-]{1,128}$/.test(id) &&
  !id.includes('..');

/** Names of files are not longer. */
const MAX_RUN_ID = 255;
/** Letters without a glyph, which look like spaces. */
const FILLERS = /[\u115F\u1160\u3164\uFFA0]/;

/**
 * Whether an id from a file's name is one word of a shell and no option: guidance and replies name it in commands, as
 * words of holdfast. An id in ASCII may have more kinds of punctuation than one with letters of other scripts.
 */
export function isTypeable(id: string): boolean {
  // The logs of a run are in a folder of its name.
  if (id.length > MAX_RUN_ID || id === '..') return false;
  if (/^[\w.@+][\w.@+:,%-]*$/.test(id)) return true;
  return /^[\p{L}\p{N}_.][\p{L}\p{M}\p{N}_.-]*$/u.test(id) && !FILLERS.test(id);
}

/** Whether an id in a file of the project can be that of a run, so that it may stand in a command that holdfast proposes. */
export const isRunId = (id: unknown): id is string =>
  isUsableRunId(id) || (typeof id === 'string' && isTypeable(id));

export const isArchived = ({ path }: { path: string }): boolean =>
  path.startsWith(`${ARCHIVE_FOLDER}/`);

export const runIdOf = (fileName: string): string | undefined =>
  safeName(/^state-(.+)\.json$/s.exec(fileName)?.[1]);

export function archivedRunIdOf(fileName: string): string | undefined {
  const name = safeName(/^(.+)\.json$/s.exec(fileName)?.[1]);
  return name !== undefined && isTypeable(name) ? name : undefined;
}

/** Run ids are printed unescaped, so files whose names have control or markup characters are ignored. */
function safeName(name: string | undefined): string | undefined {
  const isSafe =
    name !== undefined && !/[<>`]/.test(name) && !hasHiddenCharacters(name);
  return isSafe ? name : undefined;
}

/** `{slug}-{YYYYMMDD_HHMMSS}`, UTC. */
export const runIdFor = (slug: string, started: Date): string =>
  `${slug}-${compactTime(started)}`;

/** Where a state file that cannot be read is set aside. */
export const setAsideName = (file: string, now: Date): string =>
  `${file}.corrupt-${compactTime(now)}`;

/** For a state that an imported one replaces. */
export const replacedRunId = (runId: string, now: Date): string =>
  `${runId}.replaced-${compactTime(now)}`;

export const isReplaced = (runId: string): boolean =>
  /\.replaced-\d{8}_\d{6}$/.test(runId);

/** The slug in a run id; empty if the id was written by hand. */
export const slugIn = (runId: string): string =>
  /^([^/\\]+)-\d{8}_\d{6}$/s.exec(runId)?.[1] ?? '';

/** The time in a run id, for files that do not say when they were made. */
export function timeIn(runId: string): string | undefined {
  const time = /^.*(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)$/s;
  return time.test(runId)
    ? runId.replace(time, '$1-$2-$3T$4:$5:$6Z')
    : undefined;
}

const compactTime = (time: Date): string =>
  time.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '_');
