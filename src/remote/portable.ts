import { readState } from '../state/read-state.ts';
import type { RunState, SessionRecord, Source } from '../state/types.ts';
import { isObject, sameJson, type JsonObject } from '../util/json.ts';
import { canonicalJson } from './canonical-json.ts';
import { isFromElsewhere, uniteLines, type Journals, type TimedEvent } from './journals.ts';
import { redacted } from './secrets.ts';
import type { MachineEntry, Snapshot } from './snapshot.ts';

/** What `sync` needs to know of this machine to keep it out of what it sends. */
export interface Place {
  /** The id of this checkout: random, so that it says nothing about the machine. */
  machine: string;
  version: string;
  /** Paths of this machine and what stands for them, the longest first. */
  paths: readonly (readonly [path: string, placeholder: string])[];
}

export interface LocalRun {
  runId: string;
  slug: string;
  state: RunState;
  journal: readonly TimedEvent[];
  /** When the file was last written. */
  at: string;
}

/** Fields that belong to one machine: counters, what a session has in context, what a source last declared here. */
export const LOCAL_FIELDS = [
  'revision',
  'updated_at',
  'adopted',
  'todo',
  'context_metadata',
  'perform',
  'local_facts',
  'from_sync',
  'conflicts',
] as const;

const MAX_SESSIONS = 100;
const SHORT_ID = 8;

/**
 * The run as it may leave this machine. `base` is the snapshot that the state file was last in step with: what it
 * knows of other machines is kept.
 */
export function toSnapshot(run: LocalRun, base: Snapshot | null, place: Place): Snapshot {
  const scrub = scrubber(run, place);
  const state = portableState(run, base, place, scrub);
  const journals = portableJournals(run, base, place, scrub);
  const content = {
    state,
    slug: run.slug,
    endedAt: endedAt(run, base),
    journals,
  };
  const isUnchanged =
    base !== null &&
    base.slug === content.slug &&
    base.endedAt === content.endedAt &&
    sameJson(base.state, state) &&
    sameJson(base.journals, journals);
  return {
    ...content,
    machines: isUnchanged ? base.machines : withWrite(base?.machines ?? {}, run, place),
  };
}

function withWrite(
  machines: Readonly<Record<string, MachineEntry>>,
  { at }: LocalRun,
  { machine, version }: Place,
): Record<string, MachineEntry> {
  const writes = (machines[machine]?.writes ?? 0) + 1;
  return { ...machines, [machine]: { version, writes, at } };
}

export function isEnded({ status }: Pick<RunState, 'status'>): boolean {
  return status === 'completed' || status === 'cancelled';
}

/** Where the run had ended before, that time stays: each machine archives it at its own. */
function endedAt({ state, at }: LocalRun, base: Snapshot | null): string | null {
  if (!isEnded(state)) return null;
  return base !== null && isEnded(base.state) && base.endedAt !== null ? base.endedAt : at;
}

type Scrub = (value: unknown) => unknown;

function portableState(
  { runId, state }: LocalRun,
  base: Snapshot | null,
  { machine }: Place,
  scrub: Scrub,
): RunState {
  const { sessions: _sessions, source, context, ...rest } = state;
  const kept = Object.entries(rest).filter(
    ([key, value]) => !isLocalField(key) && value !== undefined,
  );
  const facts = portableFacts(state, base);
  const origin = portableSource(source);
  const portable = scrub({
    ...Object.fromEntries(kept),
    ...(context === undefined && facts === null ? {} : { context: facts ?? {} }),
    ...(origin === null ? {} : { source: origin }),
    schema_version: 1,
    run_id: runId,
  });
  const reading = readState(portable, { workflow: runId, createdAt: () => state.created_at });
  // The state was read from a file before, and nothing that a run needs was left out.
  if ('defect' in reading) throw new TypeError(`not a run: ${reading.defect}`);
  return { ...reading.state, sessions: portableSessions(state, base, machine) };
}

function isLocalField(key: string): boolean {
  return LOCAL_FIELDS.some((field) => field === key);
}

/** A fact that stays here is neither sent nor taken away from the others. */
function portableFacts(
  { context, local_facts: local = [] }: RunState,
  base: Snapshot | null,
): JsonObject | null {
  if (context === undefined) return null;
  const shared = base?.state.context ?? {};
  const isLocal = (key: string): boolean => local.includes(key);
  return Object.fromEntries([
    ...Object.entries(context).filter(([key]) => !isLocal(key)),
    ...Object.entries(shared).filter(([key]) => isLocal(key)),
  ]);
}

/**
 * Every machine has its own CLAUDE.local.md, and what a plan declared last depends on the checkout: only which file of the
 * repository the run belongs to is the same everywhere.
 */
function portableSource(source: Source | undefined): JsonObject | null {
  if (source?.kind === 'plan') {
    const format = source['format'];
    return {
      kind: 'plan',
      path: source.path,
      ...(typeof format === 'string' ? { format } : {}),
    };
  }
  if (source?.kind !== 'template') return null;
  const { path } = source;
  const isInProject = path !== undefined && !/^(?:[/\\~]|[A-Za-z]:|\.\.)/.test(path);
  return { kind: 'template', ...(isInProject ? { path } : {}) };
}

function portableSessions(
  state: RunState,
  base: Snapshot | null,
  machine: string,
): NonNullable<RunState['sessions']> {
  const own = (state.sessions?.session_history ?? [])
    .filter((record) => !isElsewhere(record))
    .map((record) => portableRecord(record, machine));
  const known = base?.state.sessions?.session_history ?? [];
  const history = uniteRecords(known, own);
  const current = state.sessions?.current_session_id ?? null;
  const holder =
    current === null
      ? undefined
      : state.sessions?.session_history?.findLast((record) => record.session_id === current);
  return {
    current_session_id:
      current === null || (holder !== undefined && isElsewhere(holder))
        ? current
        : shortSession(current),
    session_history: history,
  };
}

/** A record that came by sync names its machine. */
export function isElsewhere({ environment }: SessionRecord): boolean {
  return typeof environment?.machine === 'string';
}

function portableRecord(record: SessionRecord, machine: string): SessionRecord {
  const { session_id: id, started_at, ended_at, end_reason, phases_completed: done } = record;
  return {
    session_id: shortSession(id),
    started_at,
    ...(ended_at === undefined ? {} : { ended_at }),
    ...(end_reason === undefined ? {} : { end_reason }),
    ...(done === undefined ? {} : { phases_completed: done }),
    environment: { machine },
  };
}

/** Later records replace earlier ones of the same session. */
export function uniteRecords(
  known: readonly SessionRecord[],
  more: readonly SessionRecord[],
): SessionRecord[] {
  const byKey = new Map([...known, ...more].map((record) => [recordKey(record), record]));
  return [...byKey.values()]
    .toSorted((a, b) => {
      const [first, second] = [a, b].map((record) => `${record.started_at} ${recordKey(record)}`);
      return (first ?? '') < (second ?? '') ? -1 : 1;
    })
    .slice(-MAX_SESSIONS);
}

export function recordKey({ session_id: id, environment }: SessionRecord): string {
  return `${environment?.machine ?? ''} ${id}`;
}

export function shortSession(session: string): string {
  return Array.from(session).slice(0, SHORT_ID).join('');
}

function portableJournals(
  { journal }: LocalRun,
  base: Snapshot | null,
  { machine }: Place,
  scrub: Scrub,
): Journals {
  const known = base?.journals ?? {};
  // A checkout that was moved has a new id; its old events are known under the former one.
  const others = new Set(
    Object.entries(known).flatMap(([name, lines]) => (name === machine ? [] : lines)),
  );
  const own = journal
    .filter((event) => !isFromElsewhere(event))
    .map((event) => canonicalJson(redacted(scrub(withoutValues(event))), 0))
    .filter((line) => !others.has(line));
  const lines = uniteLines(known[machine] ?? [], own);
  const rest = Object.entries(known).filter(([name]) => name !== machine);
  return Object.fromEntries([...rest, ...(lines.length === 0 ? [] : [[machine, lines] as const])]);
}

/** What `update` was given may contain facts that stay here; which options were used is enough. */
function withoutValues(event: TimedEvent): TimedEvent {
  const { changes } = event;
  if (!isObject(changes)) return event;
  return { ...event, changes: Object.fromEntries(Object.keys(changes).map((key) => [key, true])) };
}

/** Replaces what identifies this machine in any text: session ids by their beginning, paths by what stands for them. */
function scrubber({ state, journal }: LocalRun, { paths }: Place): Scrub {
  const sessions = new Set([
    ...(state.sessions?.session_history ?? []).flatMap((record) => [
      record.session_id,
      record.handed_to ?? '',
    ]),
    state.sessions?.current_session_id ?? '',
    ...journal.flatMap(({ session_id: id, from }) =>
      [id, from].filter((value) => typeof value === 'string'),
    ),
  ]);
  const long = [...sessions].filter(
    (id) => Array.from(id).length > SHORT_ID && /^[\w-]+$/.test(id),
  );
  const replaceText = (text: string): string => {
    const withoutPaths = paths.reduce(replacePath, text);
    return long.reduce((result, id) => result.replaceAll(id, shortSession(id)), withoutPaths);
  };
  const replace = (value: unknown): unknown => {
    if (typeof value === 'string') return replaceText(value);
    if (Array.isArray(value)) return value.map(replace);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, replace(member)]));
  };
  return replace;
}

/** Only whole folders: `/home/ann` is not part of `/home/anna`. */
function replacePath(text: string, [path, placeholder]: readonly [string, string]): string {
  if (!text.includes(path)) return text;
  const parts = text.split(path);
  return parts.reduce((result, part) => {
    const isWhole = /^(?:$|[^\w.-]|\.(?:$|\s))/.test(part);
    return `${result}${isWhole ? placeholder : path}${part}`;
  });
}
