import type { StateDefect } from '../errors/state-files.ts';
import { readState } from '../state/read-state.ts';
import type { RunState } from '../state/types.ts';
import { isObject, sameJson, isWithinLimits } from '../util/json.ts';
import { slugOf } from '../util/slug.ts';
import { canonicalJson } from './canonical-json.ts';

/** What one machine wrote last. */
export interface MachineEntry {
  /** The version of holdfast. */
  version: string;
  /** How many commits of this run the machine has made. */
  writes: number;
  at: string;
}

/** A run as a commit holds it: without anything that belongs to one machine. */
export interface Snapshot {
  state: RunState;
  slug: string;
  /** When the run was completed or cancelled; null while it is open. */
  endedAt: string | null;
  machines: Readonly<Record<string, MachineEntry>>;
  /** The lines of each machine's journal. `merge` has what merges decided. */
  journals: Readonly<Record<string, readonly string[]>>;
}

const FORMAT = 1;
const STATE = 'state.json';
const RUN = 'run.json';
const JOURNAL = /^journal\/([0-9a-z]{1,40})\.jsonl$/;
/** The same limit as for a state file. */
const MAX_TEXT = 5_000_000;

export function journalPath(machine: string): string {
  return `journal/${machine}.jsonl`;
}

/** Path → content, in the order in which git sorts a tree. */
export function toFiles(snapshot: Snapshot): Map<string, string> {
  const { state, slug, endedAt, machines, journals } = snapshot;
  const run = {
    format: FORMAT,
    slug,
    machines,
    ...(endedAt === null ? {} : { ended_at: endedAt }),
  };
  return new Map([
    ...Object.entries(journals)
      .filter(([, lines]) => lines.length > 0)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([machine, lines]): [string, string] => [
        journalPath(machine),
        lines.map((line) => `${line}\n`).join(''),
      ]),
    [RUN, `${canonicalJson(run)}\n`],
    [STATE, `${canonicalJson(state)}\n`],
  ]);
}

/** Why a commit is not a run that this version can use. */
export type SnapshotDefect =
  | { kind: 'not_a_run' }
  | { kind: 'newer'; version: string | null }
  | { kind: 'bad_state'; defect: StateDefect };

export type SnapshotReading =
  | { kind: 'snapshot'; snapshot: Snapshot }
  | { kind: 'defect'; defect: SnapshotDefect };

/** Anybody who can push may have written these files. */
export function fromFiles(files: ReadonlyMap<string, string>, runId: string): SnapshotReading {
  const invalid = (defect: SnapshotDefect): SnapshotReading => ({ kind: 'defect', defect });
  const run = parse(files.get(RUN));
  const json = parse(files.get(STATE));
  if (!isObject(run)) return invalid({ kind: 'not_a_run' });
  const machines = readMachines(run['machines']);
  if (run['format'] !== FORMAT) {
    const isNewer = typeof run['format'] === 'number' && run['format'] > FORMAT;
    return invalid(isNewer ? { kind: 'newer', version: newest(machines) } : { kind: 'not_a_run' });
  }
  if (!isObject(json)) return invalid({ kind: 'not_a_run' });
  if (isFromNewerVersion(json)) return invalid({ kind: 'newer', version: newest(machines) });
  const reading = readState(json, { workflow: runId, createdAt: () => '' });
  if ('defect' in reading) return invalid({ kind: 'bad_state', defect: reading.defect });
  if (!isRunIdOf(json['run_id'], runId)) return invalid({ kind: 'not_a_run' });
  const { slug, ended_at: endedAt } = run;
  return {
    kind: 'snapshot',
    snapshot: {
      state: reading.state,
      slug: typeof slug === 'string' && slug === slugOf(slug) ? slug : slugOf(runId),
      endedAt: typeof endedAt === 'string' ? endedAt : null,
      machines,
      journals: readJournals(files),
    },
  };
}

/** Whether a newer version of holdfast wrote this state, which this one would cut down to what it knows. */
export function isFromNewerVersion(state: object): boolean {
  const version: unknown = 'schema_version' in state ? state.schema_version : undefined;
  return typeof version === 'number' && version > 1;
}

/** A run must not come in under the name of another one. */
function isRunIdOf(value: unknown, runId: string): boolean {
  return value === undefined || value === runId;
}

function parse(text: string | undefined): unknown {
  if (text === undefined || text.length > MAX_TEXT || !isWithinLimits(text)) return null;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function readMachines(value: unknown): Record<string, MachineEntry> {
  const entries = Object.entries(isObject(value) ? value : {}).flatMap(
    ([machine, entry]): [string, MachineEntry][] => {
      if (!isObject(entry) || !/^[0-9a-z]{1,40}$/.test(machine)) return [];
      const { version, writes, at } = entry;
      if (typeof version !== 'string' || typeof at !== 'string') return [];
      return [[machine, { version, writes: typeof writes === 'number' ? writes : 0, at }]];
    },
  );
  return Object.fromEntries(entries);
}

function newest(machines: Record<string, MachineEntry>): string | null {
  const last = Object.values(machines)
    .toSorted((a, b) => (a.at < b.at ? -1 : 1))
    .at(-1);
  return last?.version ?? null;
}

function readJournals(files: ReadonlyMap<string, string>): Record<string, readonly string[]> {
  return Object.fromEntries(
    [...files].flatMap(([path, text]): [string, string[]][] => {
      const machine = JOURNAL.exec(path)?.[1];
      return machine === undefined
        ? []
        : [[machine, text.split('\n').filter((line) => line.trim() !== '')]];
    }),
  );
}

/** Whether two snapshots have the same content; which machine wrote them, and how often, does not matter. */
export function sameContent(a: Snapshot, b: Snapshot): boolean {
  return (
    a.slug === b.slug &&
    a.endedAt === b.endedAt &&
    sameJson(a.state, b.state) &&
    sameJson(a.journals, b.journals)
  );
}
