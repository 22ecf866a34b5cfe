import { constants, lstatSync, readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { codeOf, placeOf, readTextFile } from '../io/read-file.ts';
import {
  ARCHIVE_FOLDER,
  archivedRunIdOf,
  runIdOf,
  STATE_FOLDER,
  stateFile,
  archivedState,
  timeIn,
} from './places.ts';
import { readState } from './read-state.ts';
import { slugOf } from './slug.ts';
import type { StoredRun } from './types.ts';

const MAX_STATE_BYTES = 5_000_000;
const COARSEST_CLOCK = 2_000;

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
  return collect(
    folders
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name: slug }) =>
        entriesOf(root, `${STATE_FOLDER}/${slug}`).flatMap((entry) => {
          const runId = runIdOf(entry.name);
          return runId === undefined
            ? []
            : [readRun(root, stateFile({ slug, runId }), { slug, runId })];
        }),
      ),
  );
}

export function listArchive(root: string): Listing {
  const entries = isInProject(root, ARCHIVE_FOLDER) ? entriesOf(root, ARCHIVE_FOLDER) : [];
  return collect(
    entries.flatMap((entry) => {
      const runId = archivedRunIdOf(entry.name);
      return runId === undefined ? [] : [readRun(root, archivedState(runId), { slug: '', runId })];
    }),
  );
}

function collect(readings: (StoredRun | Unreadable)[]): Listing {
  return {
    runs: readings.filter((reading) => 'state' in reading),
    unreadable: readings.filter((reading) => 'why' in reading),
  };
}

/** Runs as they were read before, by what changes with every write: a transaction reads all again under the lock. */
const known = new Map<string, { mark: string; run: StoredRun }>();

function readRun(
  root: string,
  path: string,
  name: { slug: string; runId: string },
): StoredRun | Unreadable {
  const full = join(root, path);
  const mark = markOf(full);
  const before = known.get(full);
  if (before !== undefined && before.mark === mark) return before.run;
  const read = parseRun(full, path, name);
  if ('state' in read && mark !== null) known.set(full, { mark, run: read });
  return read;
}

/** Null where the file is so new that another write may leave the same mark: clocks of file systems are coarse. */
function markOf(full: string): string | null {
  const stat = lstatSync(full, { throwIfNoEntry: false });
  if (stat === undefined || Math.abs(Date.now() - stat.mtimeMs) < COARSEST_CLOCK) return null;
  return `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
}

function parseRun(
  full: string,
  path: string,
  name: { slug: string; runId: string },
): StoredRun | Unreadable {
  const unreadable = (why: string, corrupt: boolean): Unreadable => ({ path, why, corrupt });
  // Links are not followed: a state file that leads elsewhere is none of this project.
  const file = readTextFile(full, MAX_STATE_BYTES, constants.O_NOFOLLOW ?? 0);
  if (file.kind === 'absent') return unreadable('it is gone', false);
  if (file.kind === 'refused') return unreadable(file.why, file.why === 'binary');
  let json: unknown;
  try {
    json = JSON.parse(file.text);
  } catch (error) {
    return unreadable(error instanceof Error ? error.message : String(error), true);
  }
  const reading = readState(json, {
    workflow: name.slug === '' ? name.runId : name.slug,
    createdAt: timeIn(name.runId) ?? new Date(file.modifiedAt).toISOString(),
  });
  if ('defect' in reading) return unreadable(reading.defect, true);
  const { state } = reading;
  return {
    runId: name.runId,
    slug: name.slug === '' ? slugOf(state.workflow) : name.slug,
    path,
    state: { ...state, run_id: name.runId },
    modifiedAt: file.modifiedAt,
  };
}

function isInProject(root: string, folder: string): boolean {
  return placeOf(root, join(root, folder)) === 'inside';
}

function entriesOf(root: string, folder: string): Dirent[] {
  try {
    const entries = readdirSync(join(root, folder), { withFileTypes: true });
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}
