import { callGit, gitFailure, tryGit, type Git } from './git.ts';
import type { Side } from './merge.ts';
import type { Commits } from './plan.ts';
import {
  fromFiles,
  notARun,
  toFiles,
  UnreadableRun,
  writtenAt,
  type Snapshot,
} from './snapshot.ts';

interface GitObject {
  oid: string;
  type: string;
  size: number;
}

/** The files of one run together: what is larger was not written by holdfast, and might not fit into memory. */
const MAX_RUN_BYTES = 20_000_000;
/** For one call of git. */
const MAX_BATCH_BYTES = 60_000_000;

/** Reads and writes commits of runs with git, each at most once. */
export class GitCommits implements Commits {
  readonly #known = new Map<string, Snapshot | UnreadableRun>();
  readonly #ancestors = new Map<string, readonly string[]>();

  constructor(private readonly git: Git) {}

  /** Reads many commits with a few calls. Sizes come before content: anybody who can push chooses them. */
  load(commits: readonly string[]): void {
    const missing = [...new Set(commits)].filter((commit) => !this.#known.has(commit));
    const paths = ['run.json', 'state.json', 'journal'];
    const named = this.#sizes(missing.flatMap((id) => paths.map((path) => `${id}:${path}`)));
    const trees = this.#contents(
      named.filter((object) => object?.type === 'tree' && object.size < MAX_RUN_BYTES),
    );
    const listed = missing.map((commit, index) => {
      const [run, state, journal] = named.slice(index * paths.length);
      const entries = entriesOf(trees.get(journal?.oid ?? '') ?? '', commit.length / 2);
      return [
        { path: 'run.json', oid: run?.oid ?? '' },
        { path: 'state.json', oid: state?.oid ?? '' },
        ...entries.map(({ name, oid }) => ({ path: `journal/${name}`, oid })),
      ].filter(({ oid }) => oid !== '');
    });
    const objects = this.#sizes(listed.flat().map(({ oid }) => oid));
    const blobs = new Map(
      objects.flatMap((object) => (object?.type === 'blob' ? [[object.oid, object]] : [])),
    );
    const isSmall = (files: readonly { oid: string }[]): boolean =>
      files.reduce((sum, { oid }) => sum + (blobs.get(oid)?.size ?? 0), 0) <= MAX_RUN_BYTES;
    const texts = this.#contents(
      listed.filter(isSmall).flatMap((files) => files.map(({ oid }) => blobs.get(oid) ?? null)),
    );
    missing.forEach((commit, index) => {
      const files = listed[index] ?? [];
      this.#known.set(commit, isSmall(files) ? readFiles(files, texts) : tooLarge());
    });
  }

  read(commit: string): Side {
    const snapshot = this.tryRead(commit);
    if (snapshot instanceof UnreadableRun) throw snapshot;
    return { commit, snapshot };
  }

  tryRead(commit: string): Snapshot | UnreadableRun {
    this.load([commit]);
    return this.#known.get(commit) ?? notARun();
  }

  /** The same content and parents make the same commit on every machine. Commits carry no name of a person. */
  write(snapshot: Snapshot, parents: readonly string[]): string {
    const blobs = [...toFiles(snapshot)].map(([path, text]) => ({
      path,
      line: `100644 blob ${this.#store('blob', text)}\t${path.replace(/^journal\//, '')}\n`,
    }));
    const lines = (isIn: boolean): string =>
      blobs.flatMap(({ path, line }) => (path.includes('/') === isIn ? [line] : [])).join('');
    const journal = lines(true);
    const folder = journal === '' ? '' : `040000 tree ${this.#tree(journal)}\tjournal\n`;
    const seconds = Math.floor((Date.parse(writtenAt(snapshot)) || 0) / 1000);
    const identity = `holdfast <holdfast@localhost> ${seconds} +0000`;
    const commit = this.#store(
      'commit',
      [
        `tree ${this.#tree(`${folder}${lines(false)}`)}`,
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
    const key = `${a} ${b}`;
    const known = this.#ancestors.get(key);
    if (known !== undefined) return known;
    const result = tryGit(this.git, ['merge-base', '--all', a, b]);
    // 1: there is none.
    if (result.kind !== 'ended' || result.code > 1) throw gitFailure(result, 'comparing commits');
    const found = result.stdout.split('\n').filter((id) => id !== '');
    this.#ancestors.set(key, found);
    return found;
  }

  #store(type: 'blob' | 'commit', input: string): string {
    const words = ['hash-object', '-w', '--no-filters', '-t', type, '--stdin'];
    return callGit(this.git, words, 'storing a run', { input }).trim();
  }

  #tree(input: string): string {
    return callGit(this.git, ['mktree'], 'storing a run', { input }).trim();
  }

  /** Null for a name that git does not find. */
  #sizes(names: readonly string[]): (GitObject | null)[] {
    if (names.length === 0) return [];
    const input = names.map((name) => `${name}\n`).join('');
    const output = callGit(this.git, ['cat-file', '--batch-check'], 'reading runs', { input });
    return output
      .split('\n')
      .slice(0, -1)
      .map((line) => {
        const [, oid = '', type = '', size = ''] =
          /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(line) ?? [];
        return oid === '' ? null : { oid, type, size: Number(size) };
      });
  }

  /** By object id, one byte a character. */
  #contents(objects: readonly (GitObject | null)[]): Map<string, string> {
    const contents = new Map<string, string>();
    const waiting = [
      ...new Map(objects.flatMap((object) => (object ? [[object.oid, object]] : []))).values(),
    ];
    while (waiting.length > 0) {
      let bytes = 0;
      const end = waiting.findIndex(
        ({ size }, index) => (bytes += size) > MAX_BATCH_BYTES && index > 0,
      );
      const batch = waiting.splice(0, end < 0 ? waiting.length : end);
      const input = batch.map(({ oid }) => `${oid}\n`).join('');
      const words = ['cat-file', '--batch'];
      const output = callGit(this.git, words, 'reading runs', { input, encoding: 'latin1' });
      let at = 0;
      for (const { oid, size } of batch) {
        at = output.indexOf('\n', at) + 1;
        contents.set(oid, output.slice(at, at + size));
        at += size + 1;
      }
    }
    return contents;
  }
}

function readFiles(
  files: readonly { path: string; oid: string }[],
  texts: ReadonlyMap<string, string>,
): Snapshot | UnreadableRun {
  const decoded = files.map(({ path, oid }): [string, string] => [
    path,
    Buffer.from(texts.get(oid) ?? '', 'latin1').toString(),
  ]);
  try {
    return fromFiles(new Map(decoded));
  } catch (error) {
    if (error instanceof UnreadableRun) return error;
    throw error;
  }
}

function tooLarge(): UnreadableRun {
  return new UnreadableRun('it is larger than any run, so it was not opened; it stays as it is');
}

/** A tree has for each entry its mode, a space, its name, a zero byte and the bytes of its id. */
function entriesOf(tree: string, idBytes: number): { name: string; oid: string }[] {
  const entries: { name: string; oid: string }[] = [];
  for (let at = 0; at < tree.length;) {
    const space = tree.indexOf(' ', at);
    const zero = tree.indexOf('\0', space);
    const end = zero + 1 + idBytes;
    const oid = Buffer.from(tree.slice(zero + 1, end), 'latin1').toString('hex');
    entries.push({ name: tree.slice(space + 1, zero), oid });
    at = end;
  }
  return entries;
}
