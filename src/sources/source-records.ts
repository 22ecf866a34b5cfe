import { isEnded } from '../state/phases.ts';
import type {
  EndedAs,
  SourceRecord,
  SourceRecords,
} from '../state/store/source-records-file.ts';
import type { RunState, Run } from '../state/types.ts';
import { slugOf } from '../text/slug.ts';
import { isObject, ownEntry } from '../text/json.ts';
import type {
  DeclaredWorkflow,
  SourceFile,
  SourceUpdate,
  SyncChange,
  SyncInput,
} from './types.ts';

/** In one record: a project may have any number of branches, and the file is read in every call. */
const MAX_BRANCHES = 50;

/** A source that still declares a workflow whose run has ended. */
export interface EndedSource {
  path: string;
  workflow: string;
  runId: string;
  at: string;
  as: EndedAs;
}

type Entry = [key: string, record: SourceRecord];

export function recordOfSource(
  records: SourceRecords,
  update: SourceUpdate,
): SourceRecord | undefined {
  return ownEntry(records, keyOf(update));
}

/** What the source declared when it was last merged into the run; a section, also under the name that it had before. */
export function recordForRun(
  runId: string | undefined,
  update: SourceUpdate,
  { sourceRecords, sources }: SyncInput,
): SourceRecord | undefined {
  const record = recordOfSource(sourceRecords, update);
  if (record?.run_id === runId) return record;
  if (update.kind === 'plan') return undefined;

  for (const [key, former] of Object.entries(sourceRecords)) {
    const isOfRun =
      former.run_id === runId && key.startsWith(sectionKeyPrefix(update.path));
    if (!isOfRun) continue;
    const isStillDeclared = sources.some(
      (source) => isGoing(source) && keyOf(source) === key,
    );
    if (!isStillDeclared) return former;
  }
  return undefined;
}

/** What the sources that were merged into the run declared then. */
export function declaredFor(
  records: SourceRecords,
  runId: string,
): DeclaredWorkflow[] {
  return Object.values(records)
    .filter((record) => record.run_id === runId)
    .map((record) => parseDeclared(record.said))
    .filter((declared) => declared !== undefined);
}

/** The records with what was seen of sources whose run has ended: that it ended, and on which branches they are gone. */
export function observeSources(input: SyncInput): SourceRecords {
  const { sourceRecords, runs, now } = input;
  const states = new Map(runs.map(({ runId, state }) => [runId, state]));
  const ended: Entry[] = [];
  for (const [key, record] of Object.entries(sourceRecords)) {
    const state = states.get(record.run_id);
    if (state && !isEnded(state)) continue;
    const isNoted = record.ended !== undefined || record.away === true;
    if (isNoted) ended.push([key, record]);
    else {
      const end = { at: now.toISOString(), as: endOf(state) };
      ended.push([key, { ...record, ended: end }]);
    }
  }
  const observed = noteWhereGone(input, ended);
  const isChanged = observed.some(
    ([key, record]) => record !== sourceRecords[key],
  );
  return isChanged
    ? { ...sourceRecords, ...Object.fromEntries(observed) }
    : sourceRecords;
}

/** A run without a state file was deleted by somebody. */
function endOf(state: RunState | undefined): EndedAs {
  return state?.status === 'cancelled' || state?.status === 'completed'
    ? state.status
    : 'deleted';
}

/** Adds the branch that is checked out to the records of sources that are gone on it. */
function noteWhereGone(
  { sources, head }: Pick<SyncInput, 'sources' | 'head'>,
  entries: readonly Entry[],
): Entry[] {
  if (entries.length === 0) return [];
  const declared = new Set(sources.filter(isGoing).map(keyOf));
  // A file that cannot be read was not seen to be gone.
  const unreadable = new Set(
    sources
      .filter(({ state }) => state === 'unreadable')
      .map(({ path }) => path),
  );
  return entries.map(([key, record]) => {
    const { gone_on: branches = [] } = record;
    const isThere = declared.has(key) || unreadable.has(pathOfKey(key));
    if (isThere || branches.includes(head)) return [key, record];
    const goneOn = [...branches, head].slice(-MAX_BRANCHES);
    return [key, { ...record, gone_on: goneOn }];
  });
}

/** What has become of a source's change: the run that it made or changed. */
export type DoneChange = { change: SyncChange; runId: string };

/** The sources that were merged into a run, with what they declare now. */
interface FedRun {
  updates: readonly SourceUpdate[];
  runId: string;
}

/** The records after changes were applied. */
export function recordsAfter(
  records: SourceRecords,
  done: readonly DoneChange[],
  input: SyncInput,
): SourceRecords {
  let recorded = records;
  let fed: FedRun[] = [];
  for (const { change, runId } of done) {
    fed.push({ updates: change.updates, runId });
    if (change.kind !== 'end') continue;
    // Another run may have the source from here on.
    recorded = recordSources(recorded, fed);
    recorded = recordEnd(recorded, change.run, change.as, input);
    fed = [];
  }
  return recordSources(recorded, fed);
}

/** Records what the sources of runs declare now; a section that was renamed leaves no record of its old name behind. */
export function recordSources(
  records: SourceRecords,
  fed: readonly FedRun[],
): SourceRecords {
  const added = new Map<string, SourceRecord>();
  /** By run, the beginnings of the keys of the sections that feed it. */
  const sections = new Map<string, string[]>();
  for (const { updates, runId } of fed) {
    for (const update of updates)
      added.set(keyOf(update), { run_id: runId, said: { ...update.said } });
    const local = updates.filter(({ kind }) => kind === 'local-file');
    sections.set(
      runId,
      local.map(({ path }) => sectionKeyPrefix(path)),
    );
  }
  if (added.size === 0) return records;

  const kept = Object.entries(records).filter(([key, { run_id: runId }]) => {
    const isFormerSection = sections
      .get(runId)
      ?.some((prefix) => key.startsWith(prefix));
    return !added.has(key) && isFormerSection !== true;
  });
  return Object.fromEntries([...kept, ...added]);
}

/** Remembers for all sources of the run that it ended, or that it is in the archive because they are `away`. */
export function recordEnd(
  records: SourceRecords,
  run: Run,
  as: EndedAs | 'away',
  input: Pick<SyncInput, 'sources' | 'head' | 'now'>,
): SourceRecords {
  const ofRun = new Map<string, SourceRecord>();
  const own = ownEntryOf(run);
  if (own) ofRun.set(...own);
  for (const [key, record] of Object.entries(records))
    if (record.run_id === run.runId) ofRun.set(key, record);

  const end =
    as === 'away'
      ? { away: true }
      : { ended: { at: input.now.toISOString(), as } };
  const ended = [...ofRun].map(([key, record]): Entry => {
    const { away: _away, gone_on: _gone, ...rest } = record;
    return [key, { ...rest, ...end }];
  });
  const observed = noteWhereGone(input, ended);
  return { ...records, ...Object.fromEntries(observed) };
}

/** A run also remembers its own source, which a lost or older file of records may not have; null if it has none. */
function ownEntryOf({ runId, state }: Run): Entry | null {
  const { kind, path } = state.source ?? {};
  const isFile = kind === 'plan' || kind === 'local-file';
  if (!isFile || path === undefined) return null;
  const declared = parseDeclared(state.source?.said);
  const said = declared ? { ...declared } : { workflow: state.workflow };
  return [keyOf({ kind, path, said }), { run_id: runId, said }];
}

/** Whether the source declares a workflow, and does not only say that it is over or has not begun. */
export function isGoing(source: SourceFile): source is SourceUpdate {
  const { state } = source;
  return state === 'active' || state === 'paused' || state === 'unclear';
}

/** The key of a source in the records. Each section of the local file has one of its own. */
function keyOf({
  kind,
  path,
  said,
}: Pick<SourceFile, 'kind' | 'path'> & {
  said: Pick<DeclaredWorkflow, 'workflow'>;
}): string {
  return kind === 'plan'
    ? path
    : `${sectionKeyPrefix(path)}${slugOf(said.workflow)}`;
}

function sectionKeyPrefix(path: string): string {
  return `${path}#`;
}

function pathOfKey(key: string): string {
  return key.replace(/#[^#]*$/, '');
}

/** A declared workflow as a state file or record stores it, for a merge; undefined if it is none. */
export function parseDeclared(value: unknown): DeclaredWorkflow | undefined {
  return isDeclared(value) ? value : undefined;
}

function isDeclared(value: unknown): value is DeclaredWorkflow {
  if (!isObject(value)) return false;
  const {
    workflow,
    required_reading: reading,
    key_reminders: reminders,
    context,
    phase = {},
    phases = [],
    skipped = {},
    undone = [],
  } = value;
  const objects = [context, phase, skipped];
  const lists = [reading, reminders, phases, undone];
  return (
    typeof workflow === 'string' &&
    objects.every(isObject) &&
    lists.every(Array.isArray)
  );
}
