import { readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { statFingerprint, folderFingerprint } from '../../io/fingerprint.ts';
import { describeStateDefect } from '../../errors/inputs.ts';
import { errorCode, locate, readTextFile } from '../../io/read-file.ts';
import {
  ARCHIVE_FOLDER,
  archivedRunIdOf,
  INDEX_FILE,
  runIdOf,
  STATE_FOLDER,
  stateFile,
  archivedState,
  timeIn,
  type RunName,
} from '../paths.ts';
import { isWithinLimits } from '../../util/json-limits.ts';
import { readState } from '../read-state.ts';
import {
  indexedAt,
  indexedFolder,
  indexText,
  MAX_INDEX_BYTES,
  MANY_RUNS,
  NO_INDEX,
  indexFrom,
  type Indexed,
  type IndexedFolder,
  type RunIndex,
} from './run-index.ts';
import { slugOf } from '../../util/slug.ts';
import type { StoredRun } from '../types.ts';

export const MAX_STATE_BYTES = 5_000_000;
/** Of all runs together: a hook has to hold them in memory. */
const MAX_BYTES_IN_ALL = 10_000_000;

/** A state file that is no run: `corrupt` ones are moved aside by the next writer, the rest is left alone. */
export interface Unreadable {
  path: string;
  why: string;
  corrupt: boolean;
}

export interface Listing {
  runs: StoredRun[];
  unreadable: Unreadable[];
}

export function listRuns(root: string): Listing {
  // A folder behind a link is no directory here, so what lies below is inside the project as well.
  const folders = isInProject(root, STATE_FOLDER) ? entriesOf(root, STATE_FOLDER) : [];
  const index = folders.length < MANY_RUNS ? null : readIndex(root);
  const left = { bytes: MAX_BYTES_IN_ALL };
  return collect(
    folders
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name: slug }) =>
        namesOfRuns(root, slug, index).flatMap((name) => {
          const runId = runIdOf(name);
          return runId === undefined
            ? []
            : [
                readRun(
                  root,
                  stateFile({ slug, runId }),
                  { slug, runId },
                  { index: index ?? NO_INDEX, left },
                ),
              ];
        }),
      ),
  );
}

export function listArchive(root: string): Listing {
  const names = isInProject(root, ARCHIVE_FOLDER) ? namesIn(join(root, ARCHIVE_FOLDER)) : [];
  return collect(
    names.flatMap((name) => {
      const runId = archivedRunIdOf(name);
      return runId === undefined ? [] : [readRun(root, archivedState(runId), { slug: '', runId })];
    }),
  );
}

export function rereadRun(root: string, { path, slug, runId }: StoredRun): StoredRun | undefined {
  const read = readRun(root, path, { slug, runId });
  return 'state' in read ? read : undefined;
}

function collect(readings: (StoredRun | Unreadable)[]): Listing {
  return {
    runs: readings.filter((reading) => 'state' in reading),
    unreadable: readings.filter((reading) => 'why' in reading),
  };
}

/** What makes the reading of many runs quick, and bounded. */
interface ReadLimits {
  index?: RunIndex;
  left?: { bytes: number };
}

interface Known extends Indexed {
  run: StoredRun;
  isIndexed: boolean;
}

interface KnownFolder extends IndexedFolder {
  isIndexed: boolean;
}

/** Runs and folders as they were read before: a transaction lists them all again under the lock. */
const known = new Map<string, Known>();
const knownFolders = new Map<string, KnownFolder>();

/** The index as it should be; null while the one that there is lacks little. */
export function nextIndex(root: string): string | null {
  const start = `${root}/${STATE_FOLDER}/`;
  const listed = [...known].filter(([full]) => full.startsWith(start));
  const folders = [...knownFolders].filter(([full]) => full.startsWith(start));
  const missing = [listed, folders].map((entries) =>
    entries.flatMap(([, entry]) => (entry.isIndexed ? [] : entry)),
  );
  if (missing.every((entries) => entries.length < MANY_RUNS)) return null;
  for (const entry of missing.flat()) entry.isIndexed = true;
  return indexText(
    listed.map(([, each]) => [each.run.path, each]),
    folders.map(([full, each]) => [full.slice(start.length), each]),
  );
}

/** Of few runs the folders are read; of many those that were touched. */
function namesOfRuns(root: string, slug: string, index: RunIndex | null): string[] {
  const full = `${root}/${STATE_FOLDER}/${slug}`;
  if (index === null) return namesIn(full);
  const mark = folderFingerprint(full);
  const before = knownFolders.get(full);
  const indexed = before ?? indexedFolder(index, slug);
  const isUntouched = indexed !== undefined && mark === indexed.mark;
  const names = isUntouched ? indexed.names : namesIn(full);
  if (mark !== null && (before === undefined || !isUntouched))
    knownFolders.set(full, { mark, names, isIndexed: isUntouched });
  return names;
}

function readRun(
  root: string,
  path: string,
  name: RunName,
  { index = NO_INDEX, left = { bytes: MAX_STATE_BYTES } }: ReadLimits = {},
): StoredRun | Unreadable {
  // Not `join`: it would take a tenth of the time for a thousand runs.
  const full = `${root}/${path}`;
  const before = known.get(full);
  const indexed = before ?? indexedAt(index, path);
  const now = indexed === undefined ? null : statFingerprint(full);
  const isUntouched = indexed !== undefined && now !== null && now.mark === indexed.mark;
  if (!isUntouched || now.bytes > left.bytes) return parseRun(full, path, name, left);
  left.bytes -= now.bytes;
  if (before !== undefined) return before.run;
  const run = runOf(indexed.json, path, name, now.modifiedAt);
  // The file itself decides whether it is a run.
  if ('why' in run) return parseRun(full, path, name, left);
  known.set(full, { ...indexed, run, isIndexed: true });
  return run;
}

function parseRun(
  full: string,
  path: string,
  name: RunName,
  left: { bytes: number },
): StoredRun | Unreadable {
  const unreadable = (why: string, corrupt: boolean): Unreadable => ({ path, why, corrupt });
  // Links are not followed: a state file that leads elsewhere is none of this project.
  const file = readTextFile(full, Math.min(left.bytes, MAX_STATE_BYTES), 'refused');
  if (file.kind === 'absent') return unreadable('it is gone', false);
  if (file.kind === 'refused') return unreadable(file.why, file.why === 'binary');
  left.bytes -= file.text.length;
  if (!isWithinLimits(file.text))
    return unreadable('it has too many parts, or too deep ones', false);
  let json: unknown;
  try {
    json = JSON.parse(file.text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return unreadable(error.message, true);
  }
  const run = runOf(json, path, name, file.modifiedAt);
  if ('state' in run && file.mark !== null)
    known.set(full, { mark: file.mark, json, run, isIndexed: false });
  return run;
}

function runOf(
  json: unknown,
  path: string,
  name: RunName,
  modifiedAt: number,
): StoredRun | Unreadable {
  const reading = readState(json, {
    workflow: name.slug === '' ? name.runId : name.slug,
    createdAt: () => timeIn(name.runId) ?? new Date(modifiedAt).toISOString(),
  });
  if ('defect' in reading) return { path, why: describeStateDefect(reading.defect), corrupt: true };
  const { state } = reading;
  state.run_id = name.runId;
  const slug = name.slug === '' ? slugOf(state.workflow) : name.slug;
  return { runId: name.runId, slug, path, state, modifiedAt };
}

function readIndex(root: string): RunIndex {
  const file = readTextFile(`${root}/${INDEX_FILE}`, MAX_INDEX_BYTES, 'refused');
  return file.kind === 'text' && isWithinLimits(file.text) ? indexFrom(file.text) : NO_INDEX;
}

function isInProject(root: string, folder: string): boolean {
  return locate(root, join(root, folder)) === 'inside';
}

function entriesOf(root: string, folder: string): Dirent[] {
  return orNothing(() => readdirSync(join(root, folder), { withFileTypes: true }));
}

function namesIn(folder: string): string[] {
  return orNothing(() => readdirSync(folder));
}

function orNothing<T>(read: () => T[]): T[] {
  try {
    return read();
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}
