import { isEnded } from '../state/phases.ts';
import { NOTE_EVENTS } from '../state/journal.ts';
import type { RunState, SessionRecord, Source, Run } from '../state/types.ts';
import { isObject, type JsonObject, canonicalJson } from '../text/json.ts';
import {
  isFromElsewhere,
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
export type LocalRun = Pick<Run, 'runId' | 'state'> & {
  journal: readonly TimedEvent[];
  at: string;
};

/** What belongs to one machine: counters, what a session has in context, what a source last declared here. */
const LOCAL_FIELDS: ReadonlySet<string> = new Set([
  'revision',
  'updated_at',
  'adopted',
  'todo',
  'context_metadata',
  'perform',
  'local_facts',
  'from_sync',
  'conflicts',
]);

/** The run as it may leave this machine. `base` is the snapshot that the state file was last in step with. */
export function toSnapshot(
  run: LocalRun,
  base: Snapshot | null,
  place: Place,
): Snapshot {
  const scrub = scrubber(run, place);
  const { machine } = place;
  // What the state file knows of other machines is kept.
  const machines = base?.machines ?? {};
  const snapshot: Snapshot = {
    state: portableState(run, base, machine, scrub),
    endedAt: endedAt(run, base),
    journals: portableJournals(run, base?.journals ?? {}, machine, scrub),
    machines,
  };
  if (base !== null && sameContent(snapshot, base)) return snapshot;
  const written = { version: place.version, at: run.at };
  return { ...snapshot, machines: { ...machines, [machine]: written } };
}

/**
 * When the run ended, for all machines alike; null while it is open. Each machine archives it at its own time, so the time
 * that the others know stays. Without one, or if the run was reopened since, it is when its file was last written here.
 */
function endedAt(
  { state, at: lastWrittenAt, journal }: LocalRun,
  base: Snapshot | null,
): string | null {
  if (!isEnded(state)) return null;
  const before = base !== null && isEnded(base.state) ? base.endedAt : null;
  if (before === null) return lastWrittenAt;
  const wasReopened = journal.some(
    (event) => event.event === 'reopened' && event.at > before,
  );
  return wasReopened ? lastWrittenAt : before;
}

/** Replaces what identifies this machine in every text of an object. */
type Scrub = (object: object) => JsonObject;

function portableState(
  { runId, state }: LocalRun,
  base: Snapshot | null,
  machine: string,
  scrub: Scrub,
): RunState {
  const { sessions: _sessions, source, context, ...fields } = state;
  const portable: JsonObject = {
    ...fieldsOf(fields, (key) => !LOCAL_FIELDS.has(key)),
    ...portableSource(source),
    schema_version: 1,
    run_id: runId,
  };
  if (context !== undefined) portable['context'] = portableFacts(state, base);
  return readRun({
    ...scrub(portable),
    sessions: portableSessions(state, base, machine),
  });
}

/** A fact that stays here is neither sent nor taken away from the others. */
function portableFacts(
  { context = {}, local_facts: localNames = [] }: RunState,
  base: Snapshot | null,
): JsonObject {
  const isLocal = (name: string): boolean => localNames.includes(name);
  return {
    ...fieldsOf(context, (name) => !isLocal(name)),
    ...fieldsOf(base?.state.context ?? {}, isLocal),
  };
}

/** The fields of these names that have a value. */
export function fieldsOf(
  object: object,
  isMeant: (key: string) => boolean,
): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter(
      ([key, value]) => isMeant(key) && value !== undefined,
    ),
  );
}

/** `/home/…`, `\\server\…`, `~/…`, `C:…` and `../…`. */
const OUTSIDE_PROJECT = /^(?:[/\\~]|[A-Za-z]:|\.\.)/;

/**
 * What a source declares depends on the checkout: only the name of its file in the repository is the same everywhere. A
 * plan that was started from keeps its text, because the file may be gone elsewhere.
 */
function portableSource(source: Source | undefined): JsonObject {
  if (source?.kind === 'plan') {
    const names = ['kind', 'path'];
    if (typeof source['format'] === 'string') names.push('format');
    if (typeof source['text'] === 'string') names.push('text', 'started');
    return { source: fieldsOf(source, (key) => names.includes(key)) };
  }
  if (source?.kind === 'template') {
    const { kind, path } = source;
    const isInProject = path !== undefined && !OUTSIDE_PROJECT.test(path);
    return { source: isInProject ? { kind, path } : { kind } };
  }
  return {};
}

const SESSION_FIELDS: ReadonlySet<string> = new Set([
  'ended_at',
  'end_reason',
  'phases_completed',
]);

/** The latest ones of all machines. */
export const MAX_SESSIONS = 100;

/**
 * Shortened ids, and of each session only when and what it worked on. As in a journal, nobody can edit the names of the
 * phases that it completed, which the phases may not have any more.
 */
function portableSessions(
  state: RunState,
  base: Snapshot | null,
  machine: string,
): JsonObject {
  const current = state.sessions?.current_session_id ?? null;
  const history = state.sessions?.session_history ?? [];
  const shared = base?.state.sessions?.session_history ?? [];
  const own = history
    .filter((record) => !isElsewhere(record))
    .map((record) => portableSession(record, machine));
  const records = new Map(
    [...shared, ...own].map((record) => [recordKey(record), record]),
  );
  return {
    current_session_id: portableHolder(current, history),
    session_history: inOrder([...records.values()]).slice(-MAX_SESSIONS),
  };
}

function portableSession(
  record: SessionRecord,
  machine: string,
): SessionRecord {
  const fields = fieldsOf(record, (key) => SESSION_FIELDS.has(key));
  return {
    ...withoutSecrets(fields),
    session_id: shortSession(record.session_id),
    started_at: record.started_at,
    environment: { machine },
  };
}

/** A session of another machine has a short id already. */
function portableHolder(
  current: string | null,
  history: readonly SessionRecord[],
): string | null {
  if (current === null) return null;
  const record = history.findLast(({ session_id: id }) => id === current);
  const isShort = record !== undefined && isElsewhere(record);
  return isShort ? current : shortSession(current);
}

function withoutSecrets(fields: JsonObject): JsonObject {
  const safe = redacted(fields);
  return isObject(safe) ? safe : {};
}

/** A record that came by sync names its machine. */
export function isElsewhere({ environment }: SessionRecord): boolean {
  return typeof environment?.machine === 'string';
}

/** Short ids of two machines may be the same. */
export function recordKey({
  session_id: id,
  environment,
}: SessionRecord): string {
  return `${environment?.machine ?? ''} ${id}`;
}

export function inOrder(records: readonly SessionRecord[]): SessionRecord[] {
  const rank = (record: SessionRecord): string =>
    `${record.started_at} ${recordKey(record)}`;
  return records.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

const SHORT_SESSION_CHARS = 8;

/** Never half of a character. The first slice keeps an id of megabytes from being taken apart. */
export function shortSession(session: string): string {
  const beginning = session.slice(0, 2 * SHORT_SESSION_CHARS);
  return Array.from(beginning).slice(0, SHORT_SESSION_CHARS).join('');
}

function portableJournals(
  { journal }: LocalRun,
  shared: Journals,
  machine: string,
  scrub: Scrub,
): Journals {
  const { [machine]: before = [], ...others } = shared;
  // A checkout that was moved has a new id; its old events are known under the former one.
  const elsewhere = new Set(Object.values(others).flat());
  const sent = new Set([...before, ...elsewhere]);
  const own = journal
    .filter((event) => !isFromElsewhere(event))
    .map((event) => portableLine(event, scrub, sent))
    .filter((line) => !elsewhere.has(line));
  const lines = uniteLines(before, own);
  return lines.length === 0 ? others : { ...others, [machine]: lines };
}

/**
 * What `update` was given may contain facts that stay here; which options were used is enough. The texts of notes that count
 * are in the state. Those of notes that were replaced or forgotten stay on this machine: to forget a note keeps it from
 * being sent, whether or not it looks like a secret.
 */
function portableLine(
  event: TimedEvent,
  scrub: Scrub,
  sent: ReadonlySet<string>,
): string {
  const lineOf = (portable: object): string =>
    canonicalJson(redacted(scrub(portable)), 0);
  const portable = withoutValuesOfChanges(event);
  const line = lineOf(portable);
  // Version 0.1.0 sent the texts of notes. Such a line stays as it is: changed, it would be a second event.
  if (!NOTE_EVENTS.has(event.event) || sent.has(line)) return line;
  const isText = (key: string): boolean =>
    key === 'text' || key === 'replaced_text';
  return lineOf(fieldsOf(portable, (key) => !isText(key)));
}

/** `changes: {phase: 3}` becomes `changes: {phase: true}`. */
function withoutValuesOfChanges({ changes, ...event }: TimedEvent): object {
  if (!isObject(changes)) return event;
  const used = Object.keys(changes).map((key) => [key, true] as const);
  return { ...event, changes: Object.fromEntries(used) };
}

/** Ids that are shorter, or have other characters, could be words of a text. */
const SESSION_ID = /^[\w-]{9,}$/;

/** Session ids are replaced by their beginning, paths by what stands for them. */
function scrubber(run: LocalRun, { paths }: Place): Scrub {
  const ids = sessionIdsIn(run);
  const replace = (text: string): string => {
    let result = text;
    for (const [path, placeholder] of paths)
      result = replaceFolder(result, path, placeholder);
    for (const id of ids) result = result.replaceAll(id, shortSession(id));
    return result;
  };
  return (object) => mapTexts(object, replace);
}

function sessionIdsIn({ state, journal }: LocalRun): Set<string> {
  const named: unknown[] = [state.sessions?.current_session_id];
  for (const record of state.sessions?.session_history ?? [])
    named.push(record.session_id, record.handed_to);
  for (const event of journal) named.push(event['session_id'], event['from']);

  const ids = new Set<string>();
  for (const id of named)
    if (typeof id === 'string' && SESSION_ID.test(id)) ids.add(id);
  return ids;
}

/** What follows a whole folder: the end, a separator, or a full stop that ends a sentence. */
const AFTER_FOLDER = /^(?:$|[^\w.-]|\.(?:$|\s))/;
/** `/src` in `/home/ann/project/src`, but not `/` alone. */
const PATH_BELOW = /^[/\\][\w.]/;

/** Only whole folders: `/home/ann` is not part of `/home/anna`. Paths in the project become relative. */
function replaceFolder(text: string, folder: string, by: string): string {
  const [first = '', ...parts] = text.split(folder);
  let result = first;
  for (const part of parts) {
    if (!AFTER_FOLDER.test(part)) result += `${folder}${part}`;
    else if (by === '.' && PATH_BELOW.test(part)) result += part.slice(1);
    else result += `${by}${part}`;
  }
  return result;
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
