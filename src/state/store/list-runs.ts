import { readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { errorCode, isForbidden, locate } from '../../io/read-file.ts';
import {
  ARCHIVE_FOLDER,
  archivedRunIdOf,
  isTypeable,
  runIdOf,
  STATE_FOLDER,
  stateFile,
  archivedState,
  slugIn,
  type RunName,
} from '../paths.ts';
import type { StoredRun } from '../types.ts';
import { isOwnFolder } from './state-folder.ts';
import { readRun, withRunId, writtenIds, type Unreadable } from './read-run.ts';

/** All runs of a project together: a hook keeps them in memory. */
const MAX_TOTAL_BYTES = 10_000_000;

export interface Listing {
  runs: StoredRun[];
  unreadable: Unreadable[];
}

/** What becomes of a state folder that may not be read: the error of the file system, or an entry of the listing. */
export type WhenForbidden = 'thrown' | 'reported';

export function listRuns(root: string, whenForbidden: WhenForbidden = 'reported'): Listing {
  const budget = { bytes: MAX_TOTAL_BYTES };
  const results = runNames(root, whenForbidden).map((name) =>
    'why' in name ? name : readRun(root, stateFile(name), name, budget),
  );
  const listing = toListing(results);
  return { ...listing, runs: withWrittenIds(root, listing.runs) };
}

/** By the names of folders and files alone. A folder that may not be read does not hide the runs in the others. */
function runNames(root: string, whenForbidden: WhenForbidden): (RunName | Unreadable)[] {
  const entries = stateEntries(root, whenForbidden);
  if (entries === null) return [forbidden(STATE_FOLDER)];
  // A symbolic link is not a directory entry here, so everything below the state folder is inside the project too.
  return entries
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: slug }): (RunName | Unreadable)[] => {
      const path = `${STATE_FOLDER}/${slug}`;
      const names = namesIfPermitted(`${root}/${path}`);
      if (names === null) return [forbidden(path)];
      return names.flatMap((fileName) => {
        const runId = runIdOf(fileName);
        return runId === undefined ? [] : [{ slug, runId }];
      });
    });
}

/** Null if it may not be read, or the folder around it may not be entered. */
function stateEntries(root: string, whenForbidden: WhenForbidden): Dirent[] | null {
  const full = join(root, STATE_FOLDER);
  const place = locate(root, full);
  if (place !== 'not permitted' && !isOwnFolder(root, STATE_FOLDER)) return [];
  try {
    return emptyIfAbsent(() => readdirSync(full, { withFileTypes: true }));
  } catch (error) {
    if (whenForbidden === 'reported' && isForbidden(error)) return null;
    throw error;
  }
}

function forbidden(path: string): Unreadable {
  return { path, why: 'not permitted', corrupt: false };
}

function namesIfPermitted(folder: string): string[] | null {
  try {
    return namesIn(folder);
  } catch (error) {
    if (isForbidden(error)) return null;
    throw error;
  }
}

/**
 * An id that was written by hand, or made of a name that cannot be typed, names the run if no other run and no archived
 * one has it. Without an id that can be typed it is no run.
 */
function withWrittenIds(root: string, runs: StoredRun[]): StoredRun[] {
  if (runs.every(({ state }) => !writtenIds.has(state))) return runs;
  const counts = new Map<string, number>();
  const idsOf = ({ runId, state }: StoredRun): string[] => [
    ...new Set([runId, writtenIds.get(state) ?? runId]),
  ];
  for (const id of runs.flatMap(idsOf)) counts.set(id, (counts.get(id) ?? 0) + 1);
  const isFree = (id: string, { state }: StoredRun): boolean =>
    counts.get(id) === 1 &&
    // A completed run may have been archived by a writer that was killed before it removed the state file.
    (state.status === 'completed' || locate(root, join(root, archivedState(id))) === 'absent');
  return runs.flatMap((run) => {
    const id = writtenIds.get(run.state);
    if (id !== undefined && isFree(id, run)) return withRunId(run, id);
    return isTypeable(run.runId) ? run : [];
  });
}

export function listArchive(root: string): Listing {
  const fileNames = isOwnFolder(root, ARCHIVE_FOLDER) ? namesIn(join(root, ARCHIVE_FOLDER)) : [];
  return toListing(
    fileNames.flatMap((fileName) => {
      const runId = archivedRunIdOf(fileName);
      return runId === undefined ? [] : [readRun(root, archivedState(runId), { slug: '', runId })];
    }),
  );
}

/** With the folder that the run had before it was archived, which its id tells. */
export function readArchivedRun(root: string, runId: string): StoredRun | undefined {
  if (!isOwnFolder(root, ARCHIVE_FOLDER) || archivedRunIdOf(`${runId}.json`) !== runId)
    return undefined;
  const result = readRun(root, archivedState(runId), { slug: slugIn(runId), runId });
  return 'state' in result ? result : undefined;
}

function toListing(results: (StoredRun | Unreadable)[]): Listing {
  return {
    runs: results.filter((result) => 'state' in result),
    unreadable: results.filter((result) => 'why' in result),
  };
}

function namesIn(folder: string): string[] {
  return emptyIfAbsent(() => readdirSync(folder));
}

function emptyIfAbsent<T>(read: () => T[]): T[] {
  try {
    return read();
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}
