import { readState } from '../state/read-state.ts';
import { isNewerFormat } from '../state/store/state-writer.ts';
import type { RunState } from '../state/types.ts';
import { isObject, isWithinLimits, parseJson, sameJson, canonicalJson } from '../text/json.ts';
import { sanitizeLine } from '../text/sanitize.ts';

/** What one machine wrote last: with which version of holdfast, and when. */
export type MachineEntry = { version: string; at: string };

/** A run as a commit holds it: without anything that belongs to one machine. */
export interface Snapshot {
  state: RunState;
  /** When the run was completed or cancelled; null while it is open. */
  endedAt: string | null;
  machines: Readonly<Record<string, MachineEntry>>;
  /** The lines of each machine's journal. `merge` has what merges decided. */
  journals: Readonly<Record<string, readonly string[]>>;
}

/** A run that this version cannot use; the message says why, and goes after "not read". */
export class UnreadableRun extends Error {}

export const notARun = (): UnreadableRun =>
  new UnreadableRun('its ref holds something else, which stays as it is');

const FORMAT = 1;
const MACHINE = /^[0-9a-z]{1,40}$/;

/** Path → content, in the order in which git sorts a tree. */
export function toFiles({ state, endedAt, machines, journals }: Snapshot): Map<string, string> {
  const run = { format: FORMAT, machines, ...(endedAt === null ? {} : { ended_at: endedAt }) };
  return new Map([
    ...Object.entries(journals)
      .filter(([, lines]) => lines.length > 0)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([machine, lines]): [string, string] => [
        `journal/${machine}.jsonl`,
        lines.map((line) => `${line}\n`).join(''),
      ]),
    ['run.json', `${canonicalJson(run)}\n`],
    ['state.json', `${canonicalJson(state)}\n`],
  ]);
}

/** Anybody who can push may have written these files. Throws if they are not a run. */
export function fromFiles(files: ReadonlyMap<string, string>): Snapshot {
  const [run, json] = ['run.json', 'state.json'].map((path) => {
    const text = files.get(path) ?? '';
    return isWithinLimits(text) ? parseJson(text) : null;
  });
  if (!isObject(run)) throw notARun();
  const machines = readMachines(run['machines']);
  if (Number(run['format']) > FORMAT) throw newerVersion(machines);
  if (run['format'] !== FORMAT || !isObject(json)) throw notARun();
  if (isNewerFormat(json)) throw newerVersion(machines);
  const endedAt = run['ended_at'];
  return {
    state: readRun(json),
    endedAt: typeof endedAt === 'string' ? endedAt : null,
    machines,
    journals: Object.fromEntries(
      [...files].flatMap(([path, text]): [string, string[]][] => {
        const machine = /^journal\/(.*)\.jsonl$/.exec(path)?.[1] ?? '';
        const lines = text.split('\n').filter((line) => line.trim() !== '');
        return MACHINE.test(machine) ? [[machine, lines]] : [];
      }),
    ),
  };
}

/** The fields of a run as a state; throws if they are none. */
export function readRun(fields: object): RunState {
  const state = readState(fields, { workflow: 'run', createdAt: () => '' });
  if (typeof state !== 'string') return state;
  throw new UnreadableRun('its state cannot be read; it stays as it is');
}

export function newerVersion(machines: Snapshot['machines'] = {}): UnreadableRun {
  const last = Object.values(machines).toSorted((a, b) => (a.at < b.at ? 1 : -1))[0];
  const version = last === undefined ? '' : ` (${sanitizeLine(last.version)})`;
  return new UnreadableRun(`a newer version of holdfast${version} wrote it; update holdfast here`);
}

const readMachines = (value: unknown): Record<string, MachineEntry> =>
  Object.fromEntries(
    Object.entries(isObject(value) ? value : {}).flatMap(([machine, entry]) => {
      const { version, at } = isObject(entry) ? entry : {};
      if (typeof at !== 'string' || typeof version !== 'string') return [];
      const isTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(at) && !Number.isNaN(Date.parse(at));
      return isTime && MACHINE.test(machine) ? [[machine, { version, at }]] : [];
    }),
  );

/** When a machine last wrote to the run; empty if none is known. */
export const writtenAt = ({ machines }: Pick<Snapshot, 'machines'>): string =>
  Object.values(machines).reduce((latest, { at }) => (at > latest ? at : latest), '');

/** Whether two snapshots have the same content; which machine wrote them, and when, does not matter. */
export const sameContent = (a: Snapshot, b: Snapshot): boolean =>
  a.endedAt === b.endedAt && sameJson(a.state, b.state) && sameJson(a.journals, b.journals);
