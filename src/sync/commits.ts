import { basename } from 'node:path';
import { readState } from '../state/read-state.ts';
import { isNewerFormat } from '../state/store/state-format.ts';
import type { RunState } from '../state/types.ts';
import {
  isObject,
  isWithinLimits,
  parseJson,
  sameJson,
  canonicalJson,
} from '../text/json.ts';
import { asWord } from '../text/sanitize.ts';
import { callGit, gitFailure, tryGit, type Git } from './git.ts';

/** A run as a commit holds it: without anything that belongs to one machine. */
export interface Snapshot {
  state: RunState;
  /** When the run was completed or cancelled; null while it is open. */
  endedAt: string | null;
  /** What each machine wrote last: with which version of holdfast, and when. */
  machines: Readonly<Record<string, { version: string; at: string }>>;
  /** The lines of each machine's journal. `merge` has what merges decided. */
  journals: Readonly<Record<string, readonly string[]>>;
}

/** A run that cannot be synced now; the message says why, and goes after "not synced". */
export class UnreadableRun extends Error {}

export const notARun = (): UnreadableRun =>
  new UnreadableRun('its ref holds something else, which stays as it is');

const FORMAT = 1;
const MACHINE = /^[0-9a-z]{1,40}$/;

/** Path → content, in the order in which git sorts a tree. */
export function toFiles({
  state,
  endedAt,
  machines,
  journals,
}: Snapshot): Map<string, string> {
  const run = {
    format: FORMAT,
    machines,
    ...(endedAt === null ? {} : { ended_at: endedAt }),
  };
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

/** The fields of a run as a state; throws if they do not make one. */
export function readRun(fields: object): RunState {
  const state = readState(fields, { workflow: 'run', createdAt: () => '' });
  if (typeof state !== 'string') return state;
  throw new UnreadableRun('its state cannot be read; it stays as it is');
}

export function newerVersion(
  machines: Snapshot['machines'] = {},
): UnreadableRun {
  const last = Object.values(machines).toSorted((a, b) =>
    a.at < b.at ? 1 : -1,
  )[0];
  const version = last === undefined ? '' : ` (${asWord(last.version)})`;
  return new UnreadableRun(
    `a newer version of holdfast${version} wrote it; update holdfast here`,
  );
}

const readMachines = (value: unknown): Snapshot['machines'] =>
  Object.fromEntries(
    Object.entries(isObject(value) ? value : {}).flatMap(([machine, entry]) => {
      const { version, at } = isObject(entry) ? entry : {};
      if (typeof at !== 'string' || typeof version !== 'string') return [];
      const isTime =
        /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(at) && !Number.isNaN(Date.parse(at));
      return isTime && MACHINE.test(machine)
        ? [[machine, { version, at }]]
        : [];
    }),
  );

/** When a machine last wrote to the run; empty if none is known. */
export const writtenAt = ({ machines }: Pick<Snapshot, 'machines'>): string =>
  Object.values(machines).reduce(
    (latest, { at }) => (at > latest ? at : latest),
    '',
  );

/** Whether two snapshots have the same content; which machine wrote them, and when, does not matter. */
export const sameContent = (a: Snapshot, b: Snapshot): boolean =>
  a.endedAt === b.endedAt &&
  sameJson(a.state, b.state) &&
  sameJson(a.journals, b.journals);

/** A commit and what it holds; `commit` has several ids for what both sides have in common where merges have crossed. */
export type Side = { commit: string; snapshot: Snapshot };

export interface Commits {
  /** Throws if the commit is not a run. */
  read: (commit: string) => Side;
  /** The same content and parents make the same commit on every machine. */
  write: (snapshot: Snapshot, parents: readonly string[]) => string;
  /** The best common ancestors of two commits; several where merges have crossed. */
  commonAncestors: (a: string, b: string) => readonly string[];
}

/** The files of one run together: what is larger was not written by holdfast, and might not fit into memory. */
const MAX_RUN_BYTES = 20_000_000;
const MAX_LIST_BYTES = 1_000_000;

/** Reads and writes commits of runs with git, each at most once. */
export class GitCommits implements Commits {
  readonly #known = new Map<string, Snapshot | UnreadableRun>();

  constructor(private readonly git: Git) {}

  read(commit: string): Side {
    const snapshot = this.tryRead(commit);
    if (snapshot instanceof UnreadableRun) throw snapshot;
    return { commit, snapshot };
  }

  tryRead(commit: string): Snapshot | UnreadableRun {
    const loaded = this.#known.get(commit) ?? this.#load(commit);
    this.#known.set(commit, loaded);
    return loaded;
  }

  /** The same content and parents make the same commit on every machine. Commits carry no name of a person. */
  write(snapshot: Snapshot, parents: readonly string[]): string {
    const files = [...toFiles(snapshot)];
    const [journal = '', top = ''] = [true, false].map((isIn) =>
      files
        .filter(([path]) => path.startsWith('journal/') === isIn)
        .map(
          ([path, text]) =>
            `100644 blob ${this.#store('blob', text)}\t${basename(path)}\n`,
        )
        .join(''),
    );
    const folder =
      journal === '' ? '' : `040000 tree ${this.#tree(journal)}\tjournal\n`;
    const seconds = Math.floor((Date.parse(writtenAt(snapshot)) || 0) / 1000);
    const identity = `holdfast <holdfast@localhost> ${seconds} +0000`;
    const commit = this.#store(
      'commit',
      [
        `tree ${this.#tree(`${folder}${top}`)}`,
        ...parents.map((parent) => `parent ${parent}`),
        `author ${identity}`,
        `committer ${identity}`,
        '',
        `${snapshot.state.status ?? 'in_progress'}\n`,
      ].join('\n'),
    );
    this.#known.set(commit, snapshot);
    return commit;
  }

  commonAncestors(a: string, b: string): readonly string[] {
    const result = tryGit(this.git, ['merge-base', '--all', a, b]);
    // 1: there is none.
    if (result.kind !== 'ended' || result.code > 1)
      throw gitFailure(result, 'comparing commits');
    return result.stdout.split('\n').filter((id) => id !== '');
  }

  /** The commit and all that it continues. */
  history(commit: string): string[] {
    const output = callGit(
      this.git,
      ['rev-list', commit],
      'reading the history of a run',
    );
    return output.split('\n').filter((id) => id !== '');
  }

  #store(type: 'blob' | 'commit', input: string): string {
    const words = ['hash-object', '-w', '--no-filters', '-t', type, '--stdin'];
    return callGit(this.git, words, 'storing a run', { input }).trim();
  }

  #tree(input: string): string {
    return callGit(this.git, ['mktree'], 'storing a run', { input }).trim();
  }

  /** Sizes come before content: anybody who can push chooses them. */
  #load(commit: string): Snapshot | UnreadableRun {
    const words = [
      'ls-tree',
      '-rlz',
      '--full-tree',
      commit,
      'run.json',
      'state.json',
      'journal/',
    ];
    const result = tryGit(this.git, words, { maxBytes: MAX_LIST_BYTES });
    const entries =
      result.kind === 'ended' && result.code === 0
        ? result.stdout.split('\0')
        : [];
    const files = entries.flatMap((entry) => {
      const [, oid = '', size, path = ''] =
        /^\d+ blob (\w+) +(\d+)\t(.*)$/s.exec(entry) ?? [];
      return size === undefined ? [] : [{ path, oid, size: Number(size) }];
    });
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    if (result.kind === 'no answer' && result.errno !== 'ENOBUFS')
      return new UnreadableRun('git took too long to read it; sync again');
    if (result.kind === 'no answer' || bytes > MAX_RUN_BYTES)
      return new UnreadableRun(
        'it is larger than any run, so it was not opened; it stays as it is',
      );
    const input = files.map(({ oid }) => `${oid}\n`).join('');
    // One byte a character, because git tells the sizes in bytes.
    const options = { input, encoding: 'latin1' } as const;
    const output = callGit(
      this.git,
      ['cat-file', '--batch'],
      'reading runs',
      options,
    );
    const texts = new Map<string, string>();
    let at = 0;
    for (const { path, size } of files) {
      at = output.indexOf('\n', at) + 1;
      texts.set(
        path,
        Buffer.from(output.slice(at, at + size), 'latin1').toString(),
      );
      at += size + 1;
    }
    try {
      return fromFiles(texts);
    } catch (error) {
      if (error instanceof UnreadableRun) return error;
      throw error;
    }
  }
}
