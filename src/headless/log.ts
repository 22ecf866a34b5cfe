import { appendFileSync, readdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../io/read-file.ts';
import { appendLine } from '../io/write-in-place.ts';
import { logFolder } from '../state/paths.ts';
import { slugOf } from '../util/slug.ts';

/** The files of one client. */
export interface ClientLog {
  /** Of the raw stream, relative to the project root. */
  stream: string;
  keepStream: (piece: string) => void;
  keepErrors: (piece: string) => void;
}

/** The folder with the raw streams of the clients of a run, and the events of its drivers. */
export class RunLog {
  /** Relative to the project root. */
  readonly folder: string;
  #problem: string | null = null;
  #number: number;

  constructor(
    private readonly root: string,
    runId: string,
  ) {
    this.folder = logFolder(runId);
    // Files of earlier drivers are kept, so the numbers go on.
    const numbers = readdirSync(join(root, this.folder)).map(
      (name) => /^(\d{4,})-/.exec(name)?.[1],
    );
    this.#number = Math.max(0, ...numbers.map((number) => Number(number ?? 0)));
  }

  /** Why the log is incomplete, or soon would be because the disk is full; null if all is well. */
  get problem(): string | null {
    const isFull = statfsSync(join(this.root, this.folder)).bavail === 0;
    return (this.#problem ??= isFull ? 'ENOSPC' : null);
  }

  append(event: object): void {
    const path = join(this.root, this.folder, 'events.jsonl');
    this.#keep(() => void appendLine(path, JSON.stringify(event)));
  }

  nextClient(step: string): ClientLog {
    this.#number += 1;
    const name = `${this.folder}/${String(this.#number).padStart(4, '0')}-${slugOf(step)}`;
    const keep = (path: string) => (piece: string) =>
      this.#keep(() => appendFileSync(join(this.root, path), piece));
    const stream = `${name}.jsonl`;
    return { stream, keepStream: keep(stream), keepErrors: keep(`${name}.err.txt`) };
  }

  /** A refusal is remembered, because a run must not fail in the middle of a turn. */
  #keep(write: () => void): void {
    try {
      write();
    } catch (error) {
      const code = errorCode(error);
      if (code === undefined) throw error;
      this.#problem ??= code;
    }
  }
}
