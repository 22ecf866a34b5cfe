import { join } from 'node:path';
import {
  locate,
  readProjectFile,
  type ReadResult,
  type Refusal,
} from '../files/read-file.ts';
import { asWord } from '../text/sanitize.ts';

const BYTES_IN_MB = 1_000_000;
const MAX_FILE_BYTES = BYTES_IN_MB;
/** All sources together: more would take a hook too long. */
const MAX_TOTAL_BYTES = 4 * BYTES_IN_MB;

/** A source that was not read, or the setting because of which some were not. */
export interface SourceProblem {
  path: string;
  message: string;
}

/** Reads files of the project, each once, as long as all of them together are not too large. */
export class SourceFiles {
  readonly problems: SourceProblem[] = [];
  readonly #read = new Map<string, ReadResult>();
  readonly #exists = new Map<string, boolean>();
  #remainingBytes = MAX_TOTAL_BYTES;

  constructor(readonly root: string) {}

  read(path: string): ReadResult {
    const before = this.#read.get(path);
    if (before) return before;

    const maxBytes = Math.min(this.#remainingBytes, MAX_FILE_BYTES);
    const file = readProjectFile(this.root, path, maxBytes);
    this.#read.set(path, file);
    if (file.kind === 'refused')
      this.addProblem(path, this.#explainRefusal(file.why));
    if (file.kind === 'text') this.#remainingBytes -= file.text.length;
    return file;
  }

  #explainRefusal(why: Refusal): string {
    if (why !== 'too large') return why;
    return this.#remainingBytes < MAX_FILE_BYTES
      ? `the plans together are larger than ${MAX_TOTAL_BYTES / BYTES_IN_MB} MB`
      : `the file is larger than ${MAX_FILE_BYTES / BYTES_IN_MB} MB`;
  }

  /** The texts of those that can be read, by path. */
  texts(paths: readonly string[] = []): ReadonlyMap<string, string> {
    const texts = new Map<string, string>();
    for (const path of paths) {
      const file = this.read(path);
      if (file.kind === 'text') texts.set(path, file.text);
    }
    return texts;
  }

  /** Whether the path leads to something inside the project. */
  exists(path: string): boolean {
    const before = this.#exists.get(path);
    if (before !== undefined) return before;
    const exists = locate(this.root, join(this.root, path)) === 'inside';
    this.#exists.set(path, exists);
    return exists;
  }

  addProblem(path: string, why: string): void {
    const message = `${asWord(path)} was not read: ${why}`;
    this.problems.push({ path, message });
  }
}
