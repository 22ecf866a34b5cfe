import { isEnded } from '../state/phases.ts';
import type {
  EndedAs,
  SourceRecord,
  SourceRecords,
} from '../state/store/hook-state.ts';
import type { StoredRun } from '../state/types.ts';
import { slugOf } from '../text/slug.ts';
import { isObject, ownEntry } from '../text/json.ts';
import type {
  DeclaredWorkflow,
  SourceFile,
  SourceUpdate,
  SyncChange,
  SyncInput,
} from './types.ts';

const MAX_BRANCHES = 50;

/** A source that still declares a workflow whose run has ended. */
export interface EndedSource {
  path: string;
  workflow: string;
  runId: string;
  at: string;
  as: EndedAs;
}

export const recordOfSource = (records: SourceRecords, update: SourceUpdate) =>
  ownEntry(records, keyOf(update));

/** What the source declared when it was last merged into the run; a section, also under the name that it had before. */
export function recordForRun(
  runId: string | undefined,
  update: SourceUpdate,
  { sourceRecords, sources }: SyncInput,
): SourceRecord | undefined {
  const record = recordOfSource(sourceRecords, update);
  if (record?.run_id === runId) return record;
  if (update.kind === 'plan') return undefined;
  const former = Object.entries(sourceRecords).find(
    ([key, { run_id: fed }]) =>
      fed === runId &&
      key.startsWith(`${update.path}#`) &&
      !sources.some((source) => isGoing(source) && keyOf(source) === key),
  );
  return former?.[1];
}

export const declaredFor = (
  records: SourceRecords,
  runId: string,
): DeclaredWorkflow[] =>
  Object.values(records).flatMap((record) =>
    record.run_id === runId ? (parseDeclared(record.said) ?? []) : [],
  );

/** The records with what was seen of sources whose run has ended: that it ended, and on which branches they are gone. */
export function observeSources(input: SyncInput): SourceRecords {
  const { sourceRecords, runs, now } = input;
  const states = new Map(runs.map(({ runId, state }) => [runId, state]));
  const ended = Object.entries(sourceRecords).flatMap(
    ([key, record]): Entry[] => {
      const state = states.get(record.run_id);
      if (state && !isEnded(state)) return [];
      if (record.ended !== undefined || record.away === true)
        return [[key, record]];
      const as =
        state?.status === 'cancelled' || state?.status === 'completed'
          ? state.status
          : 'deleted';
      return [[key, { ...record, ended: { at: now.toISOString(), as } }]];
    },
  );
  const observed = whereGone(input, ended);
  const isChanged = observed.some(
    ([key, record]) => record !== sourceRecords[key],
  );
  return isChanged
    ? { ...sourceRecords, ...Object.fromEntries(observed) }
    : sourceRecords;
}

type Entry = [key: string, record: SourceRecord];

/** Adds the branch that is checked out to the records of sources that are gone on it. */
function whereGone(
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
    const isThere =
      declared.has(key) || unreadable.has(key.replace(/#[^#]*$/, ''));
    return isThere || branches.includes(head)
      ? [key, record]
      : [key, { ...record, gone_on: [...branches, head].slice(-MAX_BRANCHES) }];
  });
}

/** What has become of a source's change: the run that it made or changed. */
export type DoneChange = { change: SyncChange; runId: string };

export function recordsAfter(
  records: SourceRecords,
  done: readonly DoneChange[],
  input: SyncInput,
): SourceRecords {
  let merged = records;
  const fed: { updates: readonly SourceUpdate[]; runId: string }[] = [];
  for (const { change, runId } of done) {
    fed.push({ updates: change.updates, runId });
    if (change.kind !== 'end') continue;
    // Another run may have the source from here on.
    merged = recordEnd(
      recordSources(merged, fed),
      change.run,
      change.as,
      input,
    );
    fed.length = 0;
  }
  return recordSources(merged, fed);
}

/** Records what the sources of runs declare now; a section that was renamed leaves no record of its old name behind. */
export function recordSources(
  records: SourceRecords,
  fed: readonly { updates: readonly SourceUpdate[]; runId: string }[],
): SourceRecords {
  const added = new Map(
    fed.flatMap(({ updates, runId }) =>
      updates.map((update): Entry => [
        keyOf(update),
        { run_id: runId, said: { ...update.said } },
      ]),
    ),
  );
  if (added.size === 0) return records;
  const files = new Map(
    fed.map(({ updates, runId }) => [
      runId,
      updates.flatMap(({ kind, path }) => (kind === 'plan' ? [] : `${path}#`)),
    ]),
  );
  const isFormer = ([key, { run_id: runId }]: Entry): boolean =>
    files.get(runId)?.some((file) => key.startsWith(file)) === true;
  const kept = Object.entries(records).filter(
    (entry) => !added.has(entry[0]) && !isFormer(entry),
  );
  return Object.fromEntries([...kept, ...added]);
}

/** Remembers for all sources of the run that it ended, or that it is in the archive because they are `away`. */
export function recordEnd(
  records: SourceRecords,
  { runId, state }: StoredRun,
  as: EndedAs | 'away',
  input: Pick<SyncInput, 'sources' | 'head' | 'now'>,
): SourceRecords {
  const { kind, path } = state.source ?? {};
  const said = {
    ...(parseDeclared(state.source?.said) ?? { workflow: state.workflow }),
  };
  const fed = Object.entries(records).filter(
    ([, record]) => record.run_id === runId,
  );
  const own: Entry[] =
    path !== undefined && (kind === 'plan' || kind === 'local-file')
      ? [[keyOf({ kind, path, said }), { run_id: runId, said }]]
      : [];
  const how =
    as === 'away'
      ? { away: true }
      : { ended: { at: input.now.toISOString(), as } };
  const ended = [...new Map([...own, ...fed])].map(
    ([key, { away: _away, gone_on: _gone, ...record }]): Entry => [
      key,
      { ...record, ...how },
    ],
  );
  return { ...records, ...Object.fromEntries(whereGone(input, ended)) };
}

export const isGoing = (source: SourceFile): source is SourceUpdate =>
  source.state === 'active' ||
  source.state === 'paused' ||
  source.state === 'unclear';

/** Each section of the local file has a key of its own. */
function keyOf({
  kind,
  path,
  said,
}: Pick<SourceFile, 'kind' | 'path'> & {
  said: Pick<DeclaredWorkflow, 'workflow'>;
}): string {
  return kind === 'plan' ? path : `${path}#${slugOf(said.workflow)}`;
}

/** A declared workflow as a state file or record stores it, for a merge; undefined if it is none. */
export const parseDeclared = (value: unknown): DeclaredWorkflow | undefined =>
  isDeclared(value) ? value : undefined;

function isDeclared(value: unknown): value is DeclaredWorkflow {
  if (!isObject(value)) return false;
  const {
    workflow,
    required_reading: reading,
    key_reminders: reminders,
    context,
  } = value;
  const { phase = {}, phases = [], skipped = {}, undone = [] } = value;
  return (
    typeof workflow === 'string' &&
    [context, phase, skipped].every(isObject) &&
    [reading, reminders, phases, undone].every(Array.isArray)
  );
}
