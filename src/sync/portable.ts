import { isEnded } from '../state/phases.ts';
import { NOTE_EVENTS, readJournal } from '../state/journal.ts';
import type {
  RunState,
  SessionRecord,
  Source,
  StoredRun,
} from '../state/types.ts';
import {
  isObject,
  type JsonObject,
  canonicalJson,
  sameJson,
} from '../text/json.ts';
import {
  conflictKey,
  isFromElsewhere,
  MERGES,
  uniteLines,
  type Journals,
  type TimedEvent,
} from './journals.ts';
import { redacted } from './secrets/find-secrets.ts';
import { readRun, sameContent, type Snapshot } from './commits.ts';

/** What `sync` needs to know of this machine to keep it out of what it sends. */
export interface Place {
  /** The id of this checkout: random, so that it says nothing about the machine. */
  machine: string;
  version: string;
  /** Paths of this machine and what stands for them, the longest first. */
  paths: readonly (readonly [path: string, placeholder: string])[];
}

/** `at`: when the file was last written. */
export type LocalRun = Pick<StoredRun, 'runId' | 'state'> & {
  journal: readonly TimedEvent[];
  at: string;
};

/** What belongs to one machine: counters, what a session has in context, what a source last declared here. */
const LOCAL_FIELDS: ReadonlySet<string> = new Set(
  'revision updated_at adopted todo context_metadata perform local_facts from_sync conflicts'.split(
    ' ',
  ),
);

/** `base` is the snapshot that the file was last in step with: what it knows of other machines is kept. */
export function toSnapshot(
  run: LocalRun,
  base: Snapshot | null,
  place: Place,
): Snapshot {
  const here = { ...place, scrub: scrubber(run, place) };
  const machines = base?.machines ?? {};
  const snapshot = {
    state: portableState(run, base, here),
    endedAt: endedAt(run, base),
    journals: portableJournals(run, base?.journals ?? {}, here),
    machines,
  };
  if (base !== null && sameContent(snapshot, base)) return snapshot;
  const written = { version: place.version, at: run.at };
  return { ...snapshot, machines: { ...machines, [place.machine]: written } };
}

/** Each machine archives a run at its own time: the first counts, unless the run was reopened since. */
function endedAt(
  { state, at, journal }: LocalRun,
  base: Snapshot | null,
): string | null {
  if (!isEnded(state)) return null;
  const before = base !== null && isEnded(base.state) ? base.endedAt : null;
  const isReopened = journal.some(
    (event) => event.event === 'reopened' && event.at > (before ?? ''),
  );
  return before === null || isReopened ? at : before;
}

type Here = Place & { scrub: (object: object) => JsonObject };

function portableState(
  { runId, state }: LocalRun,
  base: Snapshot | null,
  here: Here,
): RunState {
  const {
    sessions: _sessions,
    source,
    context,
    local_facts: local = [],
    ...rest
  } = state;
  // A fact that stays here is neither sent nor taken away from the others.
  const facts = [
    ...Object.entries(context ?? {}).filter(([key]) => !local.includes(key)),
    ...Object.entries(base?.state.context ?? {}).filter(([key]) =>
      local.includes(key),
    ),
  ];
  const scrubbed = here.scrub({
    ...fieldsOf(rest, (key) => !LOCAL_FIELDS.has(key)),
    ...(context === undefined ? {} : { context: Object.fromEntries(facts) }),
    ...portableSource(source),
    schema_version: 1,
    run_id: runId,
  });
  return readRun({
    ...scrubbed,
    sessions: portableSessions(state, base, here.machine),
  });
}

/** The fields of these names that have a value. */
export const fieldsOf = (
  object: object,
  isMeant: (key: string) => boolean,
): JsonObject =>
  Object.fromEntries(
    Object.entries(object).filter(
      ([key, value]) => isMeant(key) && value !== undefined,
    ),
  );

/** What a source declares depends on the checkout: only the name of its file in the repository is the same everywhere. */
function portableSource(source: Source | undefined): JsonObject {
  if (source?.kind === 'plan') {
    const { kind, path, format, text, started } = source;
    const carried = typeof text === 'string' ? { text, started } : {};
    return {
      source: {
        kind,
        path,
        ...(typeof format === 'string' && { format }),
        ...carried,
      },
    };
  }
  if (source?.kind !== 'template') return {};
  const { kind, path } = source;
  const isInProject =
    path !== undefined && !/^(?:[/\\~]|[A-Za-z]:|\.\.)/.test(path);
  return { source: { kind, ...(isInProject ? { path } : {}) } };
}

const SESSION_FIELDS: ReadonlySet<string> = new Set([
  'ended_at',
  'end_reason',
  'phases_completed',
]);

/**
 * Shortened ids, and of each session only when and what it worked on. As in a journal, nobody can edit the names of the
 * phases that it completed, which the phases may not have any more.
 */
function portableSessions(
  state: RunState,
  base: Snapshot | null,
  machine: string,
): JsonObject {
  const { current_session_id: current = null, session_history: history = [] } =
    state.sessions ?? {};
  const shared = base?.state.sessions?.session_history ?? [];
  const own = history
    .filter((record) => !isElsewhere(record))
    .map((record) => ({
      ...withoutSecrets(fieldsOf(record, (key) => SESSION_FIELDS.has(key))),
      session_id: shortSession(record.session_id),
      started_at: record.started_at,
      environment: { machine },
    }));
  const holder = history.findLast((record) => record.session_id === current);
  const isShort =
    current === null || (holder !== undefined && isElsewhere(holder));
  const records = new Map(
    [...shared, ...own].map((record) => [recordKey(record), record]),
  );
  return {
    current_session_id: isShort ? current : shortSession(current),
    session_history: inOrder([...records.values()]).slice(-100),
  };
}

function withoutSecrets(fields: JsonObject): JsonObject {
  const safe = redacted(fields);
  return isObject(safe) ? safe : {};
}

/** A record that came by sync names its machine. */
const isElsewhere = ({ environment }: SessionRecord): boolean =>
  typeof environment?.machine === 'string';

export const recordKey = ({
  session_id: id,
  environment,
}: SessionRecord): string => `${environment?.machine ?? ''} ${id}`;

export function inOrder(records: readonly SessionRecord[]): SessionRecord[] {
  const rank = (record: SessionRecord): string =>
    `${record.started_at} ${recordKey(record)}`;
  return records.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

const shortSession = (session: string): string =>
  Array.from(session.slice(0, 16)).slice(0, 8).join('');

function portableJournals(
  { journal }: LocalRun,
  shared: Journals,
  { machine, scrub }: Here,
) {
  const { [machine]: before = [], ...others } = shared;
  // A checkout that was moved has a new id; its old events are known under the former one.
  const elsewhere = new Set(Object.values(others).flat());
  const sent = new Set([...before, ...elsewhere]);
  const own = journal
    .filter((event) => !isFromElsewhere(event))
    .map((event) => portableLine(event, scrub, sent))
    .filter((line) => !elsewhere.has(line));
  const lines = uniteLines(before, own);
  return { ...others, ...(lines.length === 0 ? {} : { [machine]: lines }) };
}

/**
 * What `update` was given may contain facts that stay here; which options were used is enough. The texts of notes that count
 * are in the state. Those of notes that were replaced or forgotten stay on this machine: to forget a note keeps it from
 * being sent, whether or not it looks like a secret.
 */
function portableLine(
  { changes, ...event }: TimedEvent,
  scrub: Here['scrub'],
  sent: ReadonlySet<string>,
): string {
  const used = isObject(changes)
    ? {
        changes: Object.fromEntries(
          Object.keys(changes).map((key) => [key, true]),
        ),
      }
    : {};
  const lineOf = (portable: object): string =>
    canonicalJson(redacted(scrub(portable)), 0);
  const line = lineOf({ ...event, ...used });
  // Version 0.1.0 sent the texts of notes. Such a line stays as it is: changed, it would be a second event.
  if (!NOTE_EVENTS.has(event.event) || sent.has(line)) return line;
  const { text: _text, replaced_text: _replaced, ...withoutTexts } = event;
  return lineOf(withoutTexts);
}

/** Replaces what identifies this machine in any text: session ids by their beginning, paths by what stands for them. */
function scrubber(
  { state, journal }: LocalRun,
  { paths }: Place,
): Here['scrub'] {
  const { current_session_id: current, session_history: history = [] } =
    state.sessions ?? {};
  const named = [
    current,
    ...history.flatMap((record) => [record.session_id, record.handed_to]),
    ...journal.flatMap((event) => [event['session_id'], event['from']]),
  ].filter((id) => typeof id === 'string');
  const ids = [...new Set(named)].filter((id) => /^[\w-]{9,}$/.test(id));
  const replace = (text: string): string => {
    const withoutPaths = paths.reduce(
      (result, [path, placeholder]) => replaceFolder(result, path, placeholder),
      text,
    );
    return ids.reduce(
      (result, id) => result.replaceAll(id, shortSession(id)),
      withoutPaths,
    );
  };
  return (object) => mapTexts(object, replace);
}

/** Only whole folders: `/home/ann` is not part of `/home/anna`. Paths in the project become relative. */
function replaceFolder(text: string, folder: string, by: string): string {
  const [first = '', ...parts] = text.split(folder);
  return parts.reduce((result, part) => {
    const isWhole = /^(?:$|[^\w.-]|\.(?:$|\s))/.test(part);
    if (isWhole && by === '.' && /^[/\\][\w.]/.test(part))
      return `${result}${part.slice(1)}`;
    return `${result}${isWhole ? by : folder}${part}`;
  }, first);
}

function mapTexts(
  object: object,
  replace: (text: string) => string,
): JsonObject {
  const map = (value: unknown): unknown => {
    if (typeof value === 'string') return replace(value);
    if (Array.isArray(value)) return value.map(map);
    return isObject(value) ? mapTexts(value, replace) : value;
  };
  return Object.fromEntries(
    Object.entries(object).map(([key, member]) => [key, map(member)]),
  );
}

/** A run that came from elsewhere: no session here holds it, and it is only offered. */
export function arrivedState({ state }: Snapshot): RunState {
  return { source: { kind: 'cli' }, ...state, adopted: true, from_sync: true };
}

/** Where the merge agrees with `mine`, which was sent of `local`, the file stays as it is, with full paths and ids. */
export function appliedState(
  local: RunState,
  mine: Snapshot,
  merged: Snapshot,
  {
    machine,
    now,
    journal,
  }: { machine: string; now: Date; journal: readonly TimedEvent[] },
): RunState {
  const [file, before, after] = [local, mine.state, merged.state].map(
    ({ sessions: _sessions, ...fields }) => fields,
  );
  const applied = overlay(file, before, after);
  const state = readRun(isObject(applied) ? applied : {});
  // A fact that stays here keeps its value, whatever others call by the same name.
  const facts = Object.entries(local.context ?? {}).filter(([key]) =>
    local.local_facts?.includes(key),
  );
  const conflicts = [
    ...(local.conflicts ?? []),
    ...newConflicts(mine, merged, journal),
  ];
  return {
    ...state,
    ...(facts.length === 0
      ? {}
      : { context: { ...state.context, ...Object.fromEntries(facts) } }),
    ...(conflicts.length === 0 ? {} : { conflicts: conflicts.slice(-20) }),
    sessions: appliedSessions(local, merged.state, machine, now),
  };
}

/** What merges decided since `mine`. A sync killed before it noted that the run is in step left some of it in `journal`. */
export function newConflicts(
  mine: Snapshot,
  merged: Snapshot,
  journal: readonly TimedEvent[],
) {
  const decisions = ({ journals }: Snapshot): TimedEvent[] =>
    (journals[MERGES] ?? []).flatMap((line) => readJournal(line));
  const keys = new Set(
    [...decisions(mine), ...journal].map((event) => conflictKey(event)),
  );
  return decisions(merged).flatMap((event) => {
    const { field, kept, other } = event;
    const isKnown = keys.has(conflictKey(event)) || typeof field !== 'string';
    return isKnown ? [] : [{ field, kept, other }];
  });
}

/** `local` with the changes from `mine` to `merged`. What `mine` left out stays. */
function overlay(local: unknown, mine: unknown, merged: unknown): unknown {
  if (sameJson(mine, merged)) return local;
  if (Array.isArray(local) && Array.isArray(mine) && Array.isArray(merged)) {
    const entries: unknown[] = local;
    return merged.map((entry) => {
      const at = mine.findIndex((other) => sameJson(other, entry));
      return at < 0 || at >= entries.length ? entry : entries[at];
    });
  }
  if (!isObject(local) || !isObject(mine) || !isObject(merged)) return merged;
  return Object.fromEntries(
    [...new Set([...Object.keys(local), ...Object.keys(merged)])].flatMap(
      (key) => {
        if (!Object.hasOwn(local, key)) return [[key, merged[key]]];
        if (!Object.hasOwn(mine, key)) return [[key, local[key]]];
        return Object.hasOwn(merged, key)
          ? [[key, overlay(local[key], mine[key], merged[key])]]
          : [];
      },
    ),
  );
}

function appliedSessions(
  local: RunState,
  merged: RunState,
  machine: string,
  now: Date,
) {
  const own = (local.sessions?.session_history ?? []).filter(
    (record) => !isElsewhere(record),
  );
  const ownIds = new Map(
    own.map(({ session_id: id }) => [shortSession(id), id]),
  );
  const { current_session_id: current = null, session_history: history = [] } =
    merged.sessions ?? {};
  const others = history.filter(
    (record) =>
      record.environment?.machine !== machine || !ownIds.has(record.session_id),
  );
  const holder = history.findLast((record) => record.session_id === current);
  const isHere =
    holder === undefined || holder.environment?.machine === machine;
  const former = local.sessions?.current_session_id ?? null;
  return {
    ...local.sessions,
    current_session_id:
      (isHere ? ownIds.get(current ?? '') : undefined) ?? current,
    session_history: [...own, ...others]
      .toSorted((a, b) => (a.started_at < b.started_at ? -1 : 1))
      .map((record) =>
        !isHere && record.session_id === former && !isElsewhere(record)
          ? // The former holder does not get the run back by itself; it is told who has the run.
            { ...record, released_at: now.toISOString() }
          : record,
      )
      .slice(-50),
  };
}
