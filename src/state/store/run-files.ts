import { readdirSync, type Dirent } from 'node:fs';
import { basename, join } from 'node:path';
import {
  errorCode,
  isForbidden,
  locate,
  readTextFile,
} from '../../files/read-file.ts';
import { isWithinLimits } from '../../text/json.ts';
import { asWord } from '../../text/sanitize.ts';
import { digestOf, slugOf } from '../../text/slug.ts';
import * as paths from '../paths.ts';
import { readState } from '../read-state.ts';
import { parseRun } from '../run.ts';
import type { Run, RunFile } from '../types.ts';
import { MAX_STATE_BYTES, serializeState } from './state-format.ts';
import { isOwnFolder } from './state-folder.ts';

/** All runs of a project together: a hook keeps them in memory. */
const MAX_TOTAL_BYTES = 10_000_000;

export type Listing = { runs: Run[]; unreadable: Unreadable[] };

/** A state file that is not a usable run. The next writer moves `corrupt` files aside; others stay where they are. */
export type Unreadable = { path: string; why: string; corrupt: boolean };

export function describeUnreadable({ path, why }: Unreadable): string {
  return `${asWord(path)} cannot be read: ${why}`;
}

const MAX_DESCRIBED = 10;

/** A sentence for each of the first, and one for those that are left. */
export function describeAllUnreadable(files: readonly Unreadable[]): string[] {
  const sentences = files.slice(0, MAX_DESCRIBED).map(describeUnreadable);
  const left = files.length - MAX_DESCRIBED;
  return left <= 0
    ? sentences
    : [...sentences, `${left} more state files cannot be read`];
}

/** With `isStrict` a state folder that may not be read is an error, else an entry of the listing. */
export function listRuns(root: string, isStrict = false): Listing {
  const unreadable: Unreadable[] = [];
  if (!isOwnFolder(root, paths.STATE_FOLDER)) {
    const place = locate(root, join(root, paths.STATE_FOLDER));
    // One that may not even be looked up is listed below, which says so.
    if (place !== 'not permitted') return { runs: [], unreadable };
  }

  const files: RunFile[] = [];
  const budget = { bytes: MAX_TOTAL_BYTES };
  // A symbolic link is not a directory entry here, so everything below the state folder is inside the project too.
  for (const folder of entriesOf(
    root,
    paths.STATE_FOLDER,
    unreadable,
    isStrict,
  )) {
    if (!folder.isDirectory()) continue;
    const slug = folder.name;
    // A folder that may not be read does not hide the runs in the others.
    for (const { name } of entriesOf(
      root,
      paths.runFolder({ slug }),
      unreadable,
      false,
    )) {
      const runId = paths.runIdOf(name);
      if (runId === undefined) continue;
      const path = paths.stateFile({ slug, runId });
      const file = readRun(root, { path, slug, runId }, unreadable, budget);
      if (file !== null) files.push(file);
    }
  }
  return { runs: withIds(root, files).map(parseRun), unreadable };
}

export function listArchive(root: string, isStrict = true): Listing {
  const unreadable: Unreadable[] = [];
  const runs: Run[] = [];
  if (!isOwnFolder(root, paths.ARCHIVE_FOLDER)) return { runs, unreadable };
  for (const { name } of entriesOf(
    root,
    paths.ARCHIVE_FOLDER,
    unreadable,
    isStrict,
  )) {
    const runId = paths.archivedRunIdOf(name);
    if (runId === undefined) continue;
    const place = { path: paths.archivedState(runId), slug: '', runId };
    const file = readRun(root, place, unreadable);
    if (file !== null) runs.push(parseRun(named(file, runId)));
  }
  return { runs, unreadable };
}

/** With the folder that the run had before it was archived, which its id tells. */
export function readArchivedRun(root: string, runId: string): Run | undefined {
  if (!isOwnFolder(root, paths.ARCHIVE_FOLDER)) return undefined;
  if (paths.archivedRunIdOf(`${runId}.json`) !== runId) return undefined;
  const path = paths.archivedState(runId);
  return rereadRun(root, { path, slug: paths.slugIn(runId), runId });
}

export function rereadRun(root: string, place: RunPlace): Run | undefined {
  const file = readRun(root, place, []);
  return file === null ? undefined : parseRun(named(file, place.runId));
}

/** True if the run's writer was killed after it wrote the archive and before it removed the state file. */
export function isAlreadyArchived(
  root: string,
  { runId, path, state }: Run,
): boolean {
  if (state.status !== 'completed' && state.status !== 'cancelled')
    return false;
  const record = paths.archivedState(runId);
  if (path === record) return false;
  const file = readTextFile(`${root}/${record}`, MAX_STATE_BYTES, 'refused');
  return file.kind === 'text' && file.text === serializeState(state);
}

/** None for a folder that does not exist. */
function entriesOf(
  root: string,
  path: string,
  unreadable: Unreadable[],
  isStrict: boolean,
): Dirent[] {
  try {
    return readdirSync(`${root}/${path}`, { withFileTypes: true });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    if (isStrict || !isForbidden(error)) throw error;
    unreadable.push({ path, why: 'not permitted', corrupt: false });
    return [];
  }
}

/** Where a state file is. */
type RunPlace = paths.RunName & { path: string };

/** The run in a file, or none and why not. The id that is written in the file is left as it is. */
function readRun(
  root: string,
  { path, slug, runId }: RunPlace,
  unreadable: Unreadable[],
  budget = { bytes: MAX_STATE_BYTES },
): RunFile | null {
  const without = (why: string, corrupt = false): null => {
    unreadable.push({ path, why, corrupt });
    return null;
  };
  const maxBytes = Math.min(budget.bytes, MAX_STATE_BYTES);
  // Links are not followed: a link can point at a file outside the project.
  const file = readTextFile(`${root}/${path}`, maxBytes, 'refused');
  if (file.kind === 'absent') return without('file no longer exists');
  if (file.kind === 'refused') return without(file.why, file.why === 'binary');
  const { text, modifiedAt } = file;
  budget.bytes -= text.length;
  if (!isWithinLimits(text)) return without('too large or too deeply nested');

  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // Its message has a part of the text in it.
    return without('it is not valid JSON', true);
  }
  const createdAt = (): string =>
    paths.timeIn(basename(path, '.json')) ?? new Date(modifiedAt).toISOString();
  const state = readState(json, { workflow: slug || runId, createdAt });
  if (typeof state === 'string') return without(state, true);
  const folder = slug === '' ? slugOf(state.workflow) : slug;
  return { runId, slug: folder, path, state, modifiedAt };
}

/** An id written by hand, or made of a name that cannot be typed, counts if no other run has it; without any, no run. */
function withIds(root: string, runs: RunFile[]): RunFile[] {
  const ids = runs.map(idOf);
  if (ids.every((id, index) => id === runs[index]?.runId))
    return runs.map((run) => named(run, run.runId));

  /** How many runs have the id, in their file's name or in their content. */
  const owners = new Map<string, number>();
  for (const [index, { runId }] of runs.entries()) {
    for (const id of new Set([runId, ids[index] ?? runId]))
      owners.set(id, (owners.get(id) ?? 0) + 1);
  }

  const usable: RunFile[] = [];
  for (const [index, run] of runs.entries()) {
    const id = ids[index] ?? run.runId;
    const isOnlyOwner = owners.get(id) === 1;
    const isFree =
      id === run.runId || (isOnlyOwner && mayBeNamed(root, run, id));
    if (isFree) usable.push(named(run, id));
    else if (paths.isTypeable(run.runId)) usable.push(named(run, run.runId));
  }
  return usable;
}

/** The id that a run would have if it were alone. */
function idOf({ runId, state: { run_id: written } }: RunFile): string {
  if (paths.isUsableRunId(written)) return written;
  if (paths.isTypeable(runId)) return runId;
  // The digest keeps names apart that differ only in what cannot be typed.
  return `${slugOf(runId)}-${digestOf(runId).slice(0, DIGEST_CHARS)}`;
}

const DIGEST_CHARS = 8;

/** Whether no run in the archive has the id. */
function mayBeNamed(root: string, { state }: RunFile, id: string): boolean {
  // A completed run may have been archived by a writer that was killed before it removed the state file.
  if (state.status === 'completed') return true;
  return locate(root, join(root, paths.archivedState(id))) === 'absent';
}

function named(run: RunFile, runId: string): RunFile {
  const isNamed = run.runId === runId && run.state.run_id === runId;
  if (isNamed) return run;
  return { ...run, runId, state: { ...run.state, run_id: runId } };
}
