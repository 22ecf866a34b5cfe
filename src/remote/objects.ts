import { callGit, gitFailure } from './call-git.ts';
import { commitData, entriesOf, parseBatch, type GitObject } from './git-objects.ts';
import type { Git } from './git.ts';
import { MERGES } from './journals.ts';
import type { RunCommits } from './merge-heads.ts';
import {
  fromFiles,
  journalPath,
  toFiles,
  type Snapshot,
  type SnapshotDefect,
  type SnapshotReading,
} from './snapshot.ts';

/** Commits carry no name of a person. */
const IDENTITY = {
  GIT_AUTHOR_NAME: 'holdfast',
  GIT_AUTHOR_EMAIL: 'holdfast@localhost',
  GIT_COMMITTER_NAME: 'holdfast',
  GIT_COMMITTER_EMAIL: 'holdfast@localhost',
};

/** A copy of a run is seldom further behind than this. */
const MAX_HISTORY = 200;

export interface CommitReading {
  parents: readonly string[];
  /** When the commit was made. */
  at: string;
  reading: SnapshotReading;
}

/** Reads and writes commits of runs, each at most once. */
export class RunObjects {
  readonly #readings = new Map<string, CommitReading>();
  /** The texts of blobs by their ids, and the other way round, so that unchanged files are not written again. */
  readonly #texts = new Map<string, string>();
  readonly #blobs = new Map<string, string>();
  readonly #ancestors = new Map<string, readonly string[]>();

  /** `machine` is this one: its journal is in most runs. */
  constructor(
    private readonly git: Git,
    private readonly machine: string,
  ) {}

  /** Reads many commits, mostly with one call. */
  load(commits: readonly { id: string; runId: string }[]): void {
    const missing = new Map(
      commits.filter(({ id }) => !this.#readings.has(id)).map(({ id, runId }) => [id, runId]),
    );
    if (missing.size === 0) return;
    const likely = ['run.json', 'state.json', journalPath(this.machine), journalPath(MERGES)];
    const names = ['', ':journal', ...likely.map((path) => `:${path}`)].map(
      (path) => `^{tree}${path}`,
    );
    const found = this.#cat(
      [...missing.keys()].flatMap((id) => ['^{commit}', ...names].map((name) => `${id}${name}`)),
    );
    const listed = [...missing].map(([id, runId], index) => {
      const [commit, tree, journal] = found.slice(index * (names.length + 1));
      const files = [
        ...entriesOf(tree, id.length),
        ...entriesOf(journal, id.length).map(({ name, oid }) => ({ oid, name: `journal/${name}` })),
      ].filter(({ name }) => /^(?:run|state)\.json$|^journal\/[^/]+\.jsonl$/.test(name));
      return { id, runId, ...commitData(commit), files };
    });
    const wanted = listed.flatMap(({ files }) => files.map(({ oid }) => oid));
    this.#cat([...new Set(wanted)].filter((oid) => !this.#texts.has(oid)));
    for (const { id, runId, at, parents, files } of listed) {
      const content = new Map(
        files.flatMap(({ name, oid }): [string, string][] => {
          const text = this.#texts.get(oid);
          return text === undefined ? [] : [[name, text]];
        }),
      );
      this.#readings.set(id, { at, parents, reading: fromFiles(content, runId) });
    }
  }

  read(id: string, runId: string): CommitReading {
    this.load([{ id, runId }]);
    const found = this.#readings.get(id);
    if (found === undefined) throw new TypeError(`commit ${id} was not loaded`);
    return found;
  }

  /** The same content, parents and time make the same commit on every machine. */
  write(snapshot: Snapshot, parents: readonly string[], at: string): string {
    const blobs = [...toFiles(snapshot)].map(([path, text]) => ({ path, oid: this.#blob(text) }));
    const journals = blobs.filter(({ path }) => path.startsWith('journal/'));
    const top = blobs.filter(({ path }) => !path.includes('/'));
    const journal =
      journals.length === 0
        ? []
        : [
            `040000 tree ${this.#tree(journals.map(({ path, oid }) => blobLine(oid, path.slice(8))))}\tjournal`,
          ];
    const tree = this.#tree([...journal, ...top.map(({ path, oid }) => blobLine(oid, path))]);
    const date = `${Math.floor(Date.parse(at) / 1000)} +0000`;
    const id = callGit(
      this.git,
      ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent])],
      'storing a run',
      {
        input: `${snapshot.state.status ?? 'in_progress'}\n`,
        environment: { ...IDENTITY, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
      },
    )
      .toString()
      .trim();
    this.#readings.set(id, {
      parents,
      at: new Date(Math.floor(Date.parse(at) / 1000) * 1000).toISOString(),
      reading: { kind: 'snapshot', snapshot },
    });
    return id;
  }

  /** The best common ancestors of two commits. */
  commonAncestors(a: string, b: string): readonly string[] {
    // The most frequent case: one machine has gone on from what the other one has.
    if (this.#readings.get(a)?.parents.includes(b) === true) return [b];
    if (this.#readings.get(b)?.parents.includes(a) === true) return [a];
    const key = `${a} ${b}`;
    const known = this.#ancestors.get(key);
    if (known !== undefined) return known;
    const result = this.git.local(['merge-base', '--all', a, b]);
    // 1: there is none.
    if (result.kind !== 'ended' || result.code > 1) throw gitFailure(result, 'comparing commits');
    const found = result.stdout
      .toString()
      .split('\n')
      .filter((id) => id !== '');
    this.#ancestors.set(key, found);
    return found;
  }

  /** The latest commits of the history of `heads`, each before those it continues. */
  history(heads: readonly string[], runId: string): { id: string; commit: CommitReading }[] {
    if (heads.length === 0) return [];
    const words = ['rev-list', '--date-order', `--max-count=${MAX_HISTORY}`, ...heads];
    const ids = callGit(this.git, words, 'reading runs').toString().split('\n').slice(0, -1);
    this.load(ids.map((id) => ({ id, runId })));
    return ids.map((id) => ({ id, commit: this.read(id, runId) }));
  }

  #blob(text: string): string {
    const known = this.#blobs.get(text);
    if (known !== undefined) return known;
    const words = ['hash-object', '-w', '--no-filters', '-t', 'blob', '--stdin'];
    const oid = callGit(this.git, words, 'storing a run', { input: text }).toString().trim();
    this.#blobs.set(text, oid);
    return oid;
  }

  #tree(lines: readonly string[]): string {
    const input = lines.map((line) => `${line}\n`).join('');
    return callGit(this.git, ['mktree'], 'storing a run', { input }).toString().trim();
  }

  #cat(names: readonly string[]): (GitObject | null)[] {
    if (names.length === 0) return [];
    const input = names.map((name) => `${name}\n`).join('');
    const objects = parseBatch(
      callGit(this.git, ['cat-file', '--batch'], 'reading runs', { input }),
    );
    for (const object of objects) {
      if (object?.type !== 'blob') continue;
      const text = object.content.toString();
      this.#texts.set(object.oid, text);
      this.#blobs.set(text, object.oid);
    }
    return objects;
  }
}

/** A commit in the history of a run holds something else. */
export class UnreadableCommit extends Error {
  constructor(readonly defect: SnapshotDefect) {
    super(defect.kind);
  }
}

/** The commits of one run. */
export function commitsOf(objects: RunObjects, runId: string): RunCommits {
  return {
    read: (commit) => {
      const { at, reading } = objects.read(commit, runId);
      if (reading.kind === 'defect') throw new UnreadableCommit(reading.defect);
      return { commit, at, snapshot: reading.snapshot };
    },
    write: (snapshot, parents, at) => objects.write(snapshot, parents, at),
    commonAncestors: (a, b) => objects.commonAncestors(a, b),
    history: (heads) =>
      objects
        .history(heads, runId)
        .flatMap(({ id, commit: { at, reading } }) =>
          reading.kind === 'defect' ? [] : [{ commit: id, at, snapshot: reading.snapshot }],
        ),
  };
}

function blobLine(oid: string, name: string): string {
  return `100644 blob ${oid}\t${name}`;
}
