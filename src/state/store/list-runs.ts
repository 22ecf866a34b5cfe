import { readdirSync, type Dirent } from 'node:fs';
import { join, basename } from 'node:path';
import {
  errorCode,
  isForbidden,
  locate,
  namesIfReadable,
  fingerprintFrom,
  statFingerprint,
  readTextFile,
} from '../../files/read-file.ts';
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
  isUsableRunId,
  timeIn,
} from '../paths.ts';
import type { StoredRun, RunState } from '../types.ts';
import { isOwnFolder } from './state-folder.ts';
import { hasHiddenCharacters } from '../../text/sanitize.ts';
import { slugOf } from '../../text/slug.ts';
import { digestOf } from '../../text/digest.ts';
import { isWithinLimits } from '../../text/json.ts';
import { readState } from '../read-state.ts';

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

const QUARANTINED = /^state-.+\.json\.corrupt-/s;
const MAX_FILES = 100;

/** Unreadable state files that an earlier writer has renamed, as paths from the project root. */
export function listSetAside(root: string): string[] {
  if (locate(root, join(root, STATE_FOLDER)) !== 'inside') return [];
  // The runs in a folder that cannot be read are reported elsewhere.
  return namesIfReadable(join(root, STATE_FOLDER))
    .toSorted()
    .flatMap((folder) =>
      namesIfReadable(join(root, STATE_FOLDER, folder))
        .toSorted()
        .filter((name) => QUARANTINED.test(name) && !hasHiddenCharacters(name))
        .map((name) => `${STATE_FOLDER}/${folder}/${name}`),
    )
    .slice(0, MAX_FILES);
}

export const MAX_STATE_BYTES = 5_000_000;

/** A state file that is not a usable run. The next writer moves `corrupt` files aside; others stay where they are. */
export interface Unreadable {
  path: string;
  why: string;
  corrupt: boolean;
}

export function describeUnreadable({ path, why }: Unreadable): string {
  return `${path} cannot be read: ${why}`;
}

interface ByteBudget {
  bytes: number;
}

/** The ids of runs whose file has another name: written by hand, or made because the name cannot be typed. */
const writtenIds = new WeakMap<RunState, string>();

/** Runs this process has read already: a transaction lists them again under the lock. */
const cache = new Map<string, { mark: string; run: StoredRun }>();

function readRun(
  root: string,
  path: string,
  name: RunName,
  budget: ByteBudget = { bytes: MAX_STATE_BYTES },
): StoredRun | Unreadable {
  // `join` would take a tenth of the time it takes to list a thousand runs.
  const fullPath = `${root}/${path}`;
  const cached = cache.get(fullPath);
  if (cached !== undefined) {
    const current = statFingerprint(fullPath);
    if (current !== null && current.mark === cached.mark && current.bytes <= budget.bytes) {
      budget.bytes -= current.bytes;
      return cached.run;
    }
  }
  return parseRun(fullPath, path, name, budget);
}

function parseRun(
  fullPath: string,
  path: string,
  name: RunName,
  budget: ByteBudget,
): StoredRun | Unreadable {
  const unreadable = (why: string, corrupt = false): Unreadable => ({ path, why, corrupt });
  // Links are not followed: a link can point at a file outside the project.
  const file = readTextFile(fullPath, Math.min(budget.bytes, MAX_STATE_BYTES), 'refused');
  if (file.kind === 'absent') return unreadable('file no longer exists');
  if (file.kind === 'refused') return unreadable(file.why, file.why === 'binary');
  budget.bytes -= file.text.length;
  if (!isWithinLimits(file.text)) return unreadable('too large or too deeply nested');
  let json: unknown;
  try {
    json = JSON.parse(file.text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return unreadable(error.message, true);
  }
  const run = toRun(json, path, name, file.modifiedAt);
  const mark = 'state' in run ? fingerprintFrom(file.stat) : null;
  if ('state' in run && mark !== null) cache.set(fullPath, { mark, run });
  return run;
}

function toRun(
  json: unknown,
  path: string,
  name: RunName,
  modifiedAt: number,
): StoredRun | Unreadable {
  const reading = readState(json, {
    workflow: name.slug === '' ? name.runId : name.slug,
    createdAt: () => timeIn(name.runId) ?? new Date(modifiedAt).toISOString(),
  });
  if ('defect' in reading) return { path, why: reading.defect, corrupt: true };
  const { state } = reading;
  const { run_id: written } = state;
  if (isUsableRunId(written) && written !== name.runId) writtenIds.set(state, written);
  else if (!isTypeable(name.runId)) writtenIds.set(state, typeableId(name.runId));
  state.run_id = name.runId;
  const slug = name.slug === '' ? slugOf(state.workflow) : name.slug;
  return { runId: name.runId, slug, path, state, modifiedAt };
}

/** The digest keeps names apart that differ only in what cannot be typed. */
function typeableId(fileId: string): string {
  return `${slugOf(fileId)}-${digestOf(fileId).slice(0, 8)}`;
}

export function rereadRun(
  root: string,
  { path, slug, runId }: Omit<StoredRun, 'state' | 'modifiedAt'>,
): StoredRun | undefined {
  const fileId = runIdOf(basename(path)) ?? runId;
  const result = readRun(root, path, { slug, runId: fileId });
  if (!('state' in result)) return undefined;
  return result.runId === runId ? result : withRunId(result, runId);
}

function withRunId(run: StoredRun, runId: string): StoredRun {
  return { ...run, runId, state: { ...run.state, run_id: runId } };
}
