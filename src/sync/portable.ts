import { isEnded } from '../state/phases.ts';
import type { RunState, SessionRecord, Source, StoredRun } from '../state/types.ts';
import { isObject, type JsonObject, canonicalJson } from '../text/json.ts';
import { isFromElsewhere, uniteLines, type Journals, type TimedEvent } from './journals.ts';
import { redacted } from './secrets.ts';
import { readRun, sameContent, type Snapshot } from './snapshot.ts';

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
export function toSnapshot(run: LocalRun, base: Snapshot | null, place: Place): Snapshot {
  const scrub = scrubber(run, place);
  const machines = base?.machines ?? {};
  const snapshot = {
    state: portableState(run, base, place, scrub),
    endedAt: endedAt(run, base),
    journals: portableJournals(run, base?.journals ?? {}, place, scrub),
    machines,
  };
  if (base !== null && sameContent(snapshot, base)) return snapshot;
  const written = { version: place.version, at: run.at };
  return { ...snapshot, machines: { ...machines, [place.machine]: written } };
}

/** Each machine archives a run at its own time: the first counts, unless the run was reopened since. */
function endedAt({ state, at, journal }: LocalRun, base: Snapshot | null): string | null {
  if (!isEnded(state)) return null;
  const before = base !== null && isEnded(base.state) ? base.endedAt : null;
  const isReopened = journal.some(
    (event) => event.event === 'reopened' && event.at > (before ?? ''),
  );
  return before === null || isReopened ? at : before;
}

function portableState(
  { runId, state }: LocalRun,
  base: Snapshot | null,
  { machine }: Place,
  scrub: Scrub,
): RunState {
  const { sessions: _sessions, source, context, local_facts: local = [], ...rest } = state;
  const kept = Object.entries(rest).filter(
    ([key, value]) => !LOCAL_FIELDS.has(key) && value !== undefined,
  );
  // A fact that stays here is neither sent nor taken away from the others.
  const facts = [
    ...Object.entries(context ?? {}).filter(([key]) => !local.includes(key)),
    ...Object.entries(base?.state.context ?? {}).filter(([key]) => local.includes(key)),
  ];
  const scrubbed = scrub({
    ...Object.fromEntries(kept),
    ...(context === undefined ? {} : { context: Object.fromEntries(facts) }),
    ...portableSource(source),
    schema_version: 1,
    run_id: runId,
  });
  const sessions = portableSessions(state, base, machine);
  return readRun({ ...(isObject(scrubbed) ? scrubbed : {}), sessions });
}

/** What a source declares depends on the checkout: only the name of its file in the repository is the same everywhere. */
function portableSource(source: Source | undefined): JsonObject {
  if (source?.kind === 'plan') {
    const { kind, path, format, text, started } = source;
    return {
      source: {
        kind,
        path,
        ...(typeof format === 'string' ? { format } : {}),
        ...(typeof text === 'string' ? { text, started } : {}),
      },
    };
  }
  if (source?.kind !== 'template') return {};
  const { kind, path } = source;
  const isInProject = path !== undefined && !/^(?:[/\\~]|[A-Za-z]:|\.\.)/.test(path);
  return { source: { kind, ...(isInProject ? { path } : {}) } };
}

/** Shortened ids, and of each session only when and what it worked on. */
function portableSessions(state: RunState, base: Snapshot | null, machine: string): JsonObject {
  const { current_session_id: current = null, session_history: history = [] } =
    state.sessions ?? {};
  const shared = base?.state.sessions?.session_history ?? [];
  const own = history
    .filter((record) => !isElsewhere(record))
    .map(({ session_id, started_at, ended_at, end_reason, phases_completed }) => ({
      session_id: shortSession(session_id),
      started_at,
      ...(ended_at === undefined ? {} : { ended_at }),
      ...(end_reason === undefined ? {} : { end_reason }),
      ...(phases_completed === undefined ? {} : { phases_completed }),
      environment: { machine },
    }));
  const holder = history.findLast((record) => record.session_id === current);
  const isShort = current === null || (holder !== undefined && isElsewhere(holder));
  const records = new Map([...shared, ...own].map((record) => [recordKey(record), record]));
  return {
    current_session_id: isShort ? current : shortSession(current),
    session_history: inOrder([...records.values()]).slice(-100),
  };
}

/** A record that came by sync names its machine. */
export const isElsewhere = ({ environment }: SessionRecord): boolean =>
  typeof environment?.machine === 'string';

export const recordKey = ({ session_id: id, environment }: SessionRecord): string =>
  `${environment?.machine ?? ''} ${id}`;

export function inOrder(records: readonly SessionRecord[]): SessionRecord[] {
  const rank = (record: SessionRecord): string => `${record.started_at} ${recordKey(record)}`;
  return records.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

export const shortSession = (session: string): string =>
  Array.from(session.slice(0, 16)).slice(0, 8).join('');

function portableJournals(
  { journal }: LocalRun,
  shared: Journals,
  { machine }: Place,
  scrub: Scrub,
): Journals {
  const { [machine]: before = [], ...others } = shared;
  // A checkout that was moved has a new id; its old events are known under the former one.
  const elsewhere = new Set(Object.values(others).flat());
  const own = journal
    .filter((event) => !isFromElsewhere(event))
    .map((event) => portableLine(event, scrub))
    .filter((line) => !elsewhere.has(line));
  const lines = uniteLines(before, own);
  return { ...others, ...(lines.length === 0 ? {} : { [machine]: lines }) };
}

/** What `update` was given may contain facts that stay here; which options were used is enough. */
function portableLine({ changes, ...event }: TimedEvent, scrub: Scrub): string {
  const used = isObject(changes)
    ? { changes: Object.fromEntries(Object.keys(changes).map((key) => [key, true])) }
    : {};
  return canonicalJson(redacted(scrub({ ...event, ...used })), 0);
}

type Scrub = (value: unknown) => unknown;

/** Replaces what identifies this machine in any text: session ids by their beginning, paths by what stands for them. */
function scrubber({ state, journal }: LocalRun, { paths }: Place): Scrub {
  const { current_session_id: current, session_history: history = [] } = state.sessions ?? {};
  const named = [
    current,
    ...history.flatMap((record) => [record.session_id, record.handed_to]),
    ...journal.flatMap((event) => [event['session_id'], event['from']]),
  ].filter((id) => typeof id === 'string');
  const ids = [...new Set(named)].filter((id) => /^[\w-]{9,}$/.test(id));
  return mapTexts((text) => {
    const withoutPaths = paths.reduce(
      (result, [path, placeholder]) => replaceFolder(result, path, placeholder),
      text,
    );
    return ids.reduce((result, id) => result.replaceAll(id, shortSession(id)), withoutPaths);
  });
}

/** Only whole folders: `/home/ann` is not part of `/home/anna`. Paths in the project become relative. */
function replaceFolder(text: string, folder: string, by: string): string {
  const [first = '', ...parts] = text.split(folder);
  return parts.reduce((result, part) => {
    const isWhole = /^(?:$|[^\w.-]|\.(?:$|\s))/.test(part);
    if (isWhole && by === '.' && /^[/\\][\w.]/.test(part)) return `${result}${part.slice(1)}`;
    return `${result}${isWhole ? by : folder}${part}`;
  }, first);
}

function mapTexts(replace: (text: string) => string): (value: unknown) => unknown {
  const map = (value: unknown): unknown => {
    if (typeof value === 'string') return replace(value);
    if (Array.isArray(value)) return value.map(map);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, map(member)]));
  };
  return map;
}
