import { callGit, gitFailure } from './call-git.ts';
import type { Git } from './git.ts';
import type { RunCommits } from './merge-heads.ts';
import {
  fromFiles,
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

export interface CommitReading {
  /** When the commit was made. */
  at: string;
  reading: SnapshotReading;
}

/** Reads and writes commits of runs, each at most once. */
export class RunObjects {
  readonly #readings = new Map<string, CommitReading>();
  /** Content → the id of its blob, so that unchanged files are not written again. */
  readonly #blobs = new Map<string, string>();

  constructor(private readonly git: Git) {}

  /** Reads many commits with few calls. */
  load(commits: readonly { id: string; runId: string }[]): void {
    const missing = commits.filter(({ id }) => !this.#readings.has(id));
    if (missing.length === 0) return;
    const trees = this.#cat(
      missing.flatMap(({ id }) => [`${id}^{commit}`, `${id}^{tree}`, `${id}^{tree}:journal`]),
    );
    const listed = missing.map(({ id, runId }, index) => {
      const [commit, tree, journal] = trees.slice(index * 3, index * 3 + 3);
      const files = [
        ...entriesOf(tree, id.length),
        ...entriesOf(journal, id.length).map((entry) => ({
          ...entry,
          name: `journal/${entry.name}`,
        })),
      ].filter(({ name }) => /^(?:run|state)\.json$|^journal\/[^/]+\.jsonl$/.test(name));
      return { id, runId, at: commitTime(commit), files };
    });
    const wanted = [...new Set(listed.flatMap(({ files }) => files.map(({ oid }) => oid)))];
    const texts = new Map(
      this.#cat(wanted).flatMap((object, index): [string, string][] =>
        object?.type === 'blob' ? [[wanted[index] ?? '', object.content.toString()]] : [],
      ),
    );
    for (const [oid, text] of texts) this.#blobs.set(text, oid);
    for (const { id, runId, at, files } of listed) {
      const content = new Map(
        files.flatMap(({ name, oid }): [string, string][] => {
          const text = texts.get(oid);
          return text === undefined ? [] : [[name, text]];
        }),
      );
      this.#readings.set(id, { at, reading: fromFiles(content, runId) });
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
      at: new Date(Math.floor(Date.parse(at) / 1000) * 1000).toISOString(),
      reading: { kind: 'snapshot', snapshot },
    });
    return id;
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
    return parseBatch(callGit(this.git, ['cat-file', '--batch'], 'reading runs', { input }));
  }
}

/** A commit in the history of a run holds something else. */
export class UnreadableCommit extends Error {
  constructor(readonly defect: SnapshotDefect) {
    super(defect.kind);
  }
}

/** The commits of one run. */
export function commitsOf(git: Git, objects: RunObjects, runId: string): RunCommits {
  return {
    read: (commit) => {
      const { at, reading } = objects.read(commit, runId);
      if (reading.kind === 'defect') throw new UnreadableCommit(reading.defect);
      return { commit, at, snapshot: reading.snapshot };
    },
    write: (snapshot, parents, at) => objects.write(snapshot, parents, at),
    commonAncestors: (a, b) => {
      const result = git.local(['merge-base', '--all', a, b]);
      // 1: there is none.
      if (result.kind !== 'ended' || result.code > 1) throw gitFailure(result, 'comparing commits');
      return result.stdout
        .toString()
        .split('\n')
        .filter((id) => id !== '');
    },
  };
}

function blobLine(oid: string, name: string): string {
  return `100644 blob ${oid}\t${name}`;
}

interface GitObject {
  type: string;
  content: Buffer;
}

/** Null for a name that git does not find. */
function parseBatch(output: Buffer): (GitObject | null)[] {
  const objects: (GitObject | null)[] = [];
  let at = 0;
  while (at < output.length) {
    const end = output.indexOf(10, at);
    const header = output.subarray(at, end).toString();
    at = end + 1;
    const found = /^[0-9a-f]{40,64} (\w+) (\d+)$/.exec(header);
    if (found === null) {
      objects.push(null);
      continue;
    }
    const size = Number(found[2]);
    objects.push({ type: found[1] ?? '', content: output.subarray(at, at + size) });
    at += size + 1;
  }
  return objects;
}

/** A tree has for each entry its mode, a space, its name, a zero byte and the bytes of its id. */
function entriesOf(
  tree: GitObject | null | undefined,
  idLength: number,
): { name: string; oid: string }[] {
  if (tree?.type !== 'tree') return [];
  const { content } = tree;
  const entries: { name: string; oid: string }[] = [];
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(32, at);
    const zero = content.indexOf(0, space);
    const end = zero + 1 + idLength / 2;
    const name = content.subarray(space + 1, zero).toString();
    entries.push({ name, oid: content.subarray(zero + 1, end).toString('hex') });
    at = end;
  }
  return entries;
}

function commitTime(commit: GitObject | null | undefined): string {
  const seconds = /^committer .* (\d+) [+-]\d{4}$/m.exec(commit?.content.toString() ?? '')?.[1];
  return new Date(Number(seconds ?? 0) * 1000).toISOString();
}
