import { readdirSync, lstatSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  entriesIn,
  errorCode,
  isForbidden,
  locate,
  readTextFile,
} from '../../files/read-file.ts';
import { digestOf, slugOf } from '../../text/slug.ts';
import { HoldfastError } from '../../text/holdfast-error.ts';
import { isWithinLimits } from '../../text/json.ts';
import { asWord, hasHiddenCharacters } from '../../text/sanitize.ts';
import { readState } from '../read-state.ts';
import { NOTE_EVENTS, readJournal } from '../journal.ts';
import { parseRun } from '../run.ts';
import type { JournalEvent, Run, RunFile, RunState } from '../types.ts';
import * as paths from '../paths.ts';
import { isOwnFolder } from './state-folder.ts';

const MAX_STATE_BYTES = 5_000_000;
/** All runs of a project together: a hook keeps them in memory. */
const MAX_TOTAL_BYTES = 10_000_000;
const MAX_SHOWN = 100;

export type Listing = { runs: Run[]; unreadable: Unreadable[] };

/** A state file that is not a usable run. The next writer moves `corrupt` files aside; others stay where they are. */
export type Unreadable = { path: string; why: string; corrupt: boolean };

export const describeUnreadable = ({ path, why }: Unreadable): string =>
  `${asWord(path)} cannot be read: ${why}`;

/** With `isStrict` a state folder that may not be read is an error, else an entry of the listing. */
export function listRuns(root: string, isStrict = false): Listing {
  const unreadable: Unreadable[] = [];
  const isForeign = !isOwnFolder(root, paths.STATE_FOLDER);
  if (
    isForeign &&
    locate(root, join(root, paths.STATE_FOLDER)) !== 'not permitted'
  )
    return { runs: [], unreadable };
  const budget = { bytes: MAX_TOTAL_BYTES };
  // A symbolic link is not a directory entry here, so everything below the state folder is inside the project too. A
  // folder that may not be read does not hide the runs in the others.
  const runs = entriesOf(root, paths.STATE_FOLDER, unreadable, isStrict)
    .filter((folder) => folder.isDirectory())
    .flatMap(({ name: slug }) =>
      entriesOf(root, paths.runFolder({ slug }), unreadable, false).flatMap(
        ({ name }) => {
          const runId = paths.runIdOf(name);
          if (runId === undefined) return [];
          const path = paths.stateFile({ slug, runId });
          return readRun(root, { path, slug, runId }, unreadable, budget);
        },
      ),
    );
  return { runs: withIds(root, runs).map(parseRun), unreadable };
}

function entriesOf(
  root: string,
  path: string,
  unreadable: Unreadable[],
  isStrict: boolean,
) {
  try {
    return readdirSync(`${root}/${path}`, { withFileTypes: true });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return [];
    if (isStrict || !isForbidden(error)) throw error;
    unreadable.push({ path, why: 'not permitted', corrupt: false });
    return [];
  }
}

/** An id written by hand, or made of a name that cannot be typed, counts if no other run has it; without any, no run. */
function withIds(root: string, runs: RunFile[]): RunFile[] {
  // The digest keeps names apart that differ only in what cannot be typed.
  const idOf = ({ runId, state: { run_id: written } }: RunFile): string =>
    paths.isUsableRunId(written)
      ? written
      : paths.isTypeable(runId)
        ? runId
        : `${slugOf(runId)}-${digestOf(runId).slice(0, 8)}`;
  const ids = runs.map(idOf);
  if (ids.every((id, at) => id === runs[at]?.runId))
    return runs.map((run) => named(run, run.runId));
  const taken = runs.flatMap((run, at) => [...new Set([run.runId, ids[at]])]);
  return runs.flatMap((run, at) => {
    const id = ids[at] ?? run.runId;
    const isFree =
      id === run.runId ||
      (taken.indexOf(id) === taken.lastIndexOf(id) &&
        // A completed run may have been archived by a writer that was killed before it removed the state file.
        (run.state.status === 'completed' ||
          locate(root, join(root, paths.archivedState(id))) === 'absent'));
    if (isFree) return named(run, id);
    return paths.isTypeable(run.runId) ? named(run, run.runId) : [];
  });
}

function named(run: RunFile, runId: string): RunFile {
  const isNamed = run.runId === runId && run.state.run_id === runId;
  return isNamed
    ? run
    : { ...run, runId, state: { ...run.state, run_id: runId } };
}

export function listArchive(root: string, isStrict = true): Listing {
  const unreadable: Unreadable[] = [];
  if (!isOwnFolder(root, paths.ARCHIVE_FOLDER)) return { runs: [], unreadable };
  const runs = entriesOf(
    root,
    paths.ARCHIVE_FOLDER,
    unreadable,
    isStrict,
  ).flatMap(({ name }) => {
    const runId = paths.archivedRunIdOf(name);
    if (runId === undefined) return [];
    const file = { path: paths.archivedState(runId), slug: '', runId };
    return readRun(root, file, unreadable).map((run) =>
      parseRun(named(run, runId)),
    );
  });
  return { runs, unreadable };
}

/** With the folder that the run had before it was archived, which its id tells. */
export function readArchivedRun(root: string, runId: string): Run | undefined {
  if (
    !isOwnFolder(root, paths.ARCHIVE_FOLDER) ||
    paths.archivedRunIdOf(`${runId}.json`) !== runId
  )
    return undefined;
  return rereadRun(root, {
    path: paths.archivedState(runId),
    slug: paths.slugIn(runId),
    runId,
  });
}

export function rereadRun(root: string, place: RunPlace): Run | undefined {
  const [file] = readRun(root, place, []);
  return file && parseRun(named(file, place.runId));
}

/** Where a state file is. */
type RunPlace = paths.RunName & { path: string };

/** The run in a file, or none and why not. The id that is written in the file is left as it is. */
function readRun(
  root: string,
  { path, slug, runId }: RunPlace,
  unreadable: Unreadable[],
  budget = { bytes: MAX_STATE_BYTES },
): RunFile[] {
  const without = (why: string, corrupt = false): RunFile[] => {
    unreadable.push({ path, why, corrupt });
    return [];
  };
  // Links are not followed: a link can point at a file outside the project.
  const file = readTextFile(
    `${root}/${path}`,
    Math.min(budget.bytes, MAX_STATE_BYTES),
    'refused',
  );
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
  const state = readState(json, {
    workflow: slug || runId,
    createdAt: () =>
      paths.timeIn(basename(path, '.json')) ??
      new Date(modifiedAt).toISOString(),
  });
  if (typeof state === 'string') return without(state, true);
  return [
    { runId, slug: slug || slugOf(state.workflow), path, state, modifiedAt },
  ];
}

const OWN_FILES = new Set([
  paths.FORMER_HOOK_FILE,
  paths.SOURCE_RECORDS_FILE,
  paths.PURGED_FILE,
  paths.TODO_RECORD_FILE,
]);

/**
 * The files below the state folder that are not read: unreadable state files that an earlier writer has renamed, and
 * JSON files in other places or with other names.
 */
export function listUnused(root: string): {
  setAside: string[];
  misplaced: string[];
} {
  const isOwn = locate(root, join(root, paths.STATE_FOLDER)) === 'inside';
  const files = (isOwn ? filesBelow(root, paths.STATE_FOLDER) : []).toSorted();
  const isInRunFolder = (path: string): boolean =>
    dirname(dirname(path)) === paths.STATE_FOLDER;
  const isSetAside = (path: string): boolean =>
    isInRunFolder(path) && /^state-.+\.json\.corrupt-/s.test(basename(path));
  const isRun = (path: string): boolean =>
    isInRunFolder(path) && paths.runIdOf(basename(path)) !== undefined;
  const isMisplaced = (path: string): boolean =>
    path.endsWith('.json') && !isRun(path) && !OWN_FILES.has(path);
  return {
    setAside: files.filter(isSetAside).slice(0, MAX_SHOWN),
    misplaced: files.filter(isMisplaced).slice(0, MAX_SHOWN),
  };
}

/** Without hidden files. What is in a folder that cannot be read is reported elsewhere. */
const filesBelow = (root: string, folder: string): string[] =>
  entriesIn(join(root, folder)).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.name.startsWith('.') || hasHiddenCharacters(entry.name))
      return [];
    return entry.isDirectory() ? filesBelow(root, path) : [path];
  });

export function describeMisplaced(path: string): string {
  return `${asWord(path)} is not read: a state file is ${paths.STATE_FOLDER}/<name>/state-<name>-<YYYYMMDD_HHMMSS>.json`;
}

/** Names contain a second. The first one from `start` on whose name is free. */
function freeTime(start: Date, isFree: (time: Date) => boolean): Date {
  let time = start;
  while (!isFree(time)) time = new Date(time.getTime() + 1_000);
  return time;
}

/** An id for a new run that is neither stored nor archived; it is taken from then on. */
export function takeRunId(
  root: string,
  slug: string,
  started: Date,
  taken: Set<string>,
): string {
  const idAt = (time: Date): string => paths.runIdFor(slug, time);
  const isFree = (runId: string): boolean =>
    !taken.has(runId) &&
    isUnused(root, paths.stateFile({ slug, runId })) &&
    isUnused(root, paths.archivedState(runId));
  const runId = idAt(freeTime(started, (time) => isFree(idAt(time))));
  taken.add(runId);
  return runId;
}

/** Where nothing may be looked up, nothing can be written either: the write then says so. */
function isUnused(root: string, path: string): boolean {
  return ['absent', 'not permitted'].includes(locate(root, `${root}/${path}`));
}

export function freeReplacedId(root: string, runId: string, now: Date): string {
  const idAt = (time: Date): string => paths.replacedRunId(runId, time);
  return idAt(
    freeTime(now, (time) => isUnused(root, paths.archivedState(idAt(time)))),
  );
}

export function freeQuarantineName(path: string, now: Date): string {
  const nameAt = (time: Date): string => paths.quarantineName(path, time);
  const isFree = (time: Date): boolean =>
    !lstatSync(nameAt(time), { throwIfNoEntry: false });
  return nameAt(freeTime(now, isFree));
}

/** Whether a newer version of holdfast wrote this state, which this one would cut down to what it knows. */
export const isNewerFormat = (state: { schema_version?: unknown }): boolean =>
  typeof state.schema_version === 'number' && state.schema_version > 1;

export function requireKnownFormat({
  runId,
  state,
}: Pick<Run, 'runId' | 'state'>): void {
  if (isNewerFormat(state))
    throw new HoldfastError(
      'newer_format',
      `a newer version of holdfast wrote ${runId}, so this one only reads it`,
      { hint: 'update holdfast here, then try again; nothing was changed' },
    );
}

export const serializeState = (state: RunState): string =>
  `${JSON.stringify(state, null, 2)}\n`;

export function serializeWithinLimits(state: RunState): string {
  const content = serializeState(state);
  const bytes = Buffer.byteLength(content);
  if (bytes <= MAX_STATE_BYTES && isWithinLimits(content)) return content;
  throw new HoldfastError(
    'run_too_large',
    bytes > MAX_STATE_BYTES
      ? `${state.run_id} would exceed the ${MAX_STATE_BYTES / 1_000_000} MB limit for state files`
      : `${state.run_id} would have too many or too deeply nested values to be read again`,
    {
      hint: 'nothing was changed; move long texts into files, or set fewer tasks',
    },
  );
}

/** True if the run's writer was killed after it wrote the archive and before it removed the state file. */
export function isAlreadyArchived(
  root: string,
  { runId, path, state }: Run,
): boolean {
  if (state.status !== 'completed' && state.status !== 'cancelled')
    return false;
  const record = paths.archivedState(runId);
  const archived = readTextFile(
    `${root}/${record}`,
    MAX_STATE_BYTES,
    'refused',
  );
  return (
    path !== record &&
    archived.kind === 'text' &&
    archived.text === serializeState(state)
  );
}

const MAX_READ_BYTES = 10_000_000;

export function journalText(root: string, path: string): string | null {
  const file = readTextFile(`${root}/${path}`, MAX_READ_BYTES);
  return file.kind === 'text' ? file.text : null;
}

export const readJournalOf = (
  root: string,
  run: Run,
): (JournalEvent & { at: string })[] =>
  readJournal(journalText(root, paths.journalOf(run)) ?? '');

const MAX_TEXT_CHARS = 500;
/** A note that was replaced or forgotten stands nowhere else. */
const MAX_NOTE_CHARS = 2_000;

export function journalLine(event: JournalEvent, now: Date): string {
  const max = NOTE_EVENTS.has(event.event) ? MAX_NOTE_CHARS : MAX_TEXT_CHARS;
  const short = Object.entries(event).map(([key, value]) => [
    key,
    typeof value === 'string' && value.length > max
      ? `${value.slice(0, max)}…`
      : value,
  ]);
  return JSON.stringify({
    at: now.toISOString(),
    ...Object.fromEntries(short),
  });
}

export function newerHalf(text: string): string {
  const middle = text.indexOf('\n', Math.floor(text.length / 2));
  return middle < 0 ? '' : text.slice(middle + 1);
}
