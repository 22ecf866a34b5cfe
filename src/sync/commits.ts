import { callGit, gitFailure, tryGit, type Git } from './git.ts';
import type { Side } from './merge.ts';
import type { Commits } from './plan.ts';
import { fromFiles, toFiles, UnreadableRun, writtenAt, type Snapshot } from './snapshot.ts';

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
    const result = tryGit(this.git, ['merge-base', '--all', a, b]);
    // 1: there is none.
    if (result.kind !== 'ended' || result.code > 1) throw gitFailure(result, 'comparing commits');
    return result.stdout.split('\n').filter((id) => id !== '');
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
    const words = ['ls-tree', '-rlz', '--full-tree', commit, 'run.json', 'state.json', 'journal/'];
    const result = tryGit(this.git, words, { maxBytes: MAX_LIST_BYTES });
    const entries = result.kind === 'ended' && result.code === 0 ? result.stdout.split('\0') : [];
    const files = entries.flatMap((entry) => {
      const [, oid = '', size, path = ''] = /^\d+ blob (\w+) +(\d+)\t(.*)$/s.exec(entry) ?? [];
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
    const output = callGit(this.git, ['cat-file', '--batch'], 'reading runs', options);
    const texts = new Map<string, string>();
    let at = 0;
    for (const { path, size } of files) {
      at = output.indexOf('\n', at) + 1;
      texts.set(path, Buffer.from(output.slice(at, at + size), 'latin1').toString());
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
