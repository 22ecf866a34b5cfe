import { readdirSync, type Dirent } from 'node:fs';
import { basename, join } from 'node:path';
import type { UnreadableFile, UnreadableState } from '../../errors/state-files.ts';
import { statFingerprint } from '../../io/fingerprint.ts';
import { entriesIn } from '../../io/folder-entries.ts';
import { errorCode, isForbidden, locate, readTextFile } from '../../io/read-file.ts';
import {
  ARCHIVE_FOLDER,
  archivedRunIdOf,
  isUsableRunId,
  runIdOf,
  STATE_FOLDER,
  stateFile,
  archivedState,
  slugIn,
  timeIn,
  type RunName,
} from '../paths.ts';
import { isWithinLimits } from '../../util/json.ts';
import { readState } from '../read-state.ts';
import { slugOf } from '../../util/slug.ts';
import type { RunState, StoredRun } from '../types.ts';
import { isoTime } from '../../util/iso-time.ts';

export const MAX_STATE_BYTES = 5_000_000;
/** All runs of a project together: a hook keeps them in memory. */
const MAX_TOTAL_BYTES = 10_000_000;

/** A state file that is not a usable run. The next writer moves `corrupt` files aside; others stay where they are. */
export interface Unreadable extends UnreadableFile {
  corrupt: boolean;
}

export interface Listing {
  runs: StoredRun[];
  unreadable: Unreadable[];
}

interface ByteBudget {
  bytes: number;
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

export function stateFilePaths(root: string): string[] {
  return runNames(root, 'reported').flatMap((name) => ('why' in name ? [] : stateFile(name)));
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
  if (place === 'absent' || place === 'outside the project') return [];
  try {
    return emptyIfAbsent(() => readdirSync(full, { withFileTypes: true }));
  } catch (error) {
    if (whenForbidden === 'reported' && isForbidden(error)) return null;
    throw error;
  }
}

function forbidden(path: string): Unreadable {
  return { path, why: { kind: 'refused', why: 'not permitted' }, corrupt: false };
}

function namesIfPermitted(folder: string): string[] | null {
  try {
    return namesIn(folder);
  } catch (error) {
    if (isForbidden(error)) return null;
    throw error;
  }
}

/** As bin/hook.sh checks it: each run has a folder of its own, and names with a dot are not runs. */
export function hasRunFolders(root: string): boolean {
  return entriesIn(join(root, STATE_FOLDER)).some(
    (entry) => entry.isDirectory() && !entry.name.startsWith('.'),
  );
}

/** An id that was written by hand names the run, if no other run and no archived one has it. */
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
  return runs.map((run) => {
    const id = writtenIds.get(run.state);
    return id !== undefined && isFree(id, run) ? withRunId(run, id) : run;
  });
}

function withRunId(run: StoredRun, runId: string): StoredRun {
  return { ...run, runId, state: { ...run.state, run_id: runId } };
}

export function listArchive(root: string): Listing {
  const fileNames = isInProject(root, ARCHIVE_FOLDER) ? namesIn(join(root, ARCHIVE_FOLDER)) : [];
  return toListing(
    fileNames.flatMap((fileName) => {
      const runId = archivedRunIdOf(fileName);
      return runId === undefined ? [] : [readRun(root, archivedState(runId), { slug: '', runId })];
    }),
  );
}

/** With the folder that the run had before it was archived, which its id tells. */
export function readArchivedRun(root: string, runId: string): StoredRun | undefined {
  if (!isInProject(root, ARCHIVE_FOLDER) || archivedRunIdOf(`${runId}.json`) !== runId)
    return undefined;
  const result = readRun(root, archivedState(runId), { slug: slugIn(runId), runId });
  return 'state' in result ? result : undefined;
}

export function rereadRun(root: string, { path, slug, runId }: StoredRun): StoredRun | undefined {
  const fileId = runIdOf(basename(path)) ?? runId;
  const result = readRun(root, path, { slug, runId: fileId });
  if (!('state' in result)) return undefined;
  return result.runId === runId ? result : withRunId(result, runId);
}

function toListing(results: (StoredRun | Unreadable)[]): Listing {
  return {
    runs: results.filter((result) => 'state' in result),
    unreadable: results.filter((result) => 'why' in result),
  };
}

/** The ids that were written by hand and differ from the file's name. */
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
  const unreadable = (why: UnreadableState, corrupt: boolean): Unreadable => ({
    path,
    why,
    corrupt,
  });
  // Links are not followed: a link can point at a file outside the project.
  const file = readTextFile(fullPath, Math.min(budget.bytes, MAX_STATE_BYTES), 'refused');
  if (file.kind === 'absent') return unreadable({ kind: 'absent' }, false);
  if (file.kind === 'refused') {
    return unreadable({ kind: 'refused', why: file.why }, file.why === 'binary');
  }
  budget.bytes -= file.text.length;
  if (!isWithinLimits(file.text)) return unreadable({ kind: 'too_complex' }, false);
  let json: unknown;
  try {
    json = JSON.parse(file.text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return unreadable({ kind: 'not_json', parser: error.message }, true);
  }
  const run = toRun(json, path, name, file.modifiedAt);
  if ('state' in run && file.mark !== null) cache.set(fullPath, { mark: file.mark, run });
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
    createdAt: () => timeIn(name.runId) ?? isoTime(new Date(modifiedAt)),
  });
  if ('defect' in reading) {
    return { path, why: { kind: 'not_a_run', defect: reading.defect }, corrupt: true };
  }
  const { state } = reading;
  const { run_id: written } = state;
  if (isUsableRunId(written) && written !== name.runId) writtenIds.set(state, written);
  state.run_id = name.runId;
  const slug = name.slug === '' ? slugOf(state.workflow) : name.slug;
  return { runId: name.runId, slug, path, state, modifiedAt };
}

function isInProject(root: string, folder: string): boolean {
  return locate(root, join(root, folder)) === 'inside';
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
