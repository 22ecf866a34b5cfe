import { readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { markOf } from '../io/mark.ts';
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

export const MAX_STATE_BYTES = 5_000_000;

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
        namesIn(`${root}/${STATE_FOLDER}/${slug}`).flatMap((name) => {
          const runId = runIdOf(name);
          return runId === undefined
            ? []
            : [readRun(root, stateFile({ slug, runId }), { slug, runId })];
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

/** Runs as they were read before: a transaction lists them all again under the lock. */
const known = new Map<string, { mark: string; run: StoredRun }>();

function readRun(
  root: string,
  path: string,
  name: { slug: string; runId: string },
): StoredRun | Unreadable {
  // Not `join`: it would take a tenth of the time for a thousand runs.
  const full = `${root}/${path}`;
  const before = known.get(full);
  if (before !== undefined && before.mark === markOf(full)) return before.run;
  const read = parseRun(full, path, name);
  if ('why' in read) return read;
  if (read.mark !== null) known.set(full, { mark: read.mark, run: read.run });
  return read.run;
}

function parseRun(
  full: string,
  path: string,
  name: { slug: string; runId: string },
): { run: StoredRun; mark: string | null } | Unreadable {
  const unreadable = (why: string, corrupt: boolean): Unreadable => ({ path, why, corrupt });
  // Links are not followed: a state file that leads elsewhere is none of this project.
  const file = readTextFile(full, MAX_STATE_BYTES, 'refused');
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
    createdAt: () => timeIn(name.runId) ?? new Date(file.modifiedAt).toISOString(),
  });
  if ('defect' in reading) return unreadable(reading.defect, true);
  const { state } = reading;
  state.run_id = name.runId;
  const slug = name.slug === '' ? slugOf(state.workflow) : name.slug;
  const run = { runId: name.runId, slug, path, state, modifiedAt: file.modifiedAt };
  return { run, mark: file.mark };
}

function isInProject(root: string, folder: string): boolean {
  return placeOf(root, join(root, folder)) === 'inside';
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
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}
