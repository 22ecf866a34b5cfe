import { isEnded } from '../state/ended.ts';
import { readState } from '../state/read-state.ts';
import type { RunState, Source } from '../state/types.ts';
import { isObject, sameJson, type JsonObject } from '../util/json.ts';
import { canonicalJson } from './canonical-json.ts';
import { isFromElsewhere, uniteLines, type Journals, type TimedEvent } from './journals.ts';
import type { LocalRun, Place } from './local-run.ts';
import { scrubber, type Scrub } from './scrub.ts';
import { redacted } from './secrets.ts';
import { portableSessions } from './session-records.ts';
import type { MachineEntry, Snapshot } from './snapshot.ts';

/** Fields that belong to one machine: counters, what a session has in context, what a source last declared here. */
const LOCAL_FIELDS = [
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

/**
 * Where the run had ended before, that time stays: each machine archives it at its own. If it was reopened since, it
 * has ended again.
 */
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

/** Every event that is known here, of any machine, as a line of the journal of the machine that it happened on. */
export function portableLines(run: LocalRun, place: Place): string[] {
  const scrub = scrubber(run, place);
  return run.journal.map(({ machine: _machine, ...event }) => portableLine(event, scrub));
}

function portableLine(event: TimedEvent, scrub: Scrub): string {
  return canonicalJson(redacted(scrub(withoutValues(event))), 0);
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
    .map((event) => portableLine(event, scrub))
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
