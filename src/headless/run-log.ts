import { join } from 'node:path';
import fse from 'fs-extra';
import { appendLine } from '../files/atomic-write.ts';
import { errorCode } from '../files/read-file.ts';
import { logFolder } from '../state/paths.ts';
import { slugOf } from '../text/slug.ts';

/** Raw streams may contain what the agent has read. */
const PRIVATE_MODE = 0o600;
const NUMBER_DIGITS = 4;
/** `0012-build.jsonl` */
const NUMBERED_NAME = /^(\d{4,})-/;

/** The files of one client. */
export interface ClientLog {
  /** Relative to the project root. */
  stream: string;
  keepStream: (piece: string) => void;
  keepErrors: (piece: string) => void;
}

/**
 * The folder with the raw streams of the clients of a run, and the events of its drivers. What the disk refuses is
 * remembered and not thrown, because a run must not fail in the middle of a turn.
 */
export class RunLog {
  /** Relative to the project root. */
  readonly folder: string;
  readonly #path: string;
  #lastNumber: number;
  #refused: string | null = null;

  constructor(root: string, runId: string) {
    this.folder = logFolder(runId);
    this.#path = join(root, this.folder);
    this.#lastNumber = lastNumberIn(this.#path);
  }

  /** Why the log is incomplete, or soon would be because the disk is full; null if all is well. */
  get problem(): string | null {
    const isFull = fse.statfsSync(this.#path).bavail === 0;
    if (isFull) this.#refused ??= 'ENOSPC';
    return this.#refused;
  }

  append(event: object): void {
    const path = join(this.#path, 'events.jsonl');
    this.#keep(() => appendLine(path, JSON.stringify(event)));
  }

  nextClient(step: string): ClientLog {
    this.#lastNumber += 1;
    const number = String(this.#lastNumber).padStart(NUMBER_DIGITS, '0');
    const name = `${number}-${slugOf(step)}`;
    const stream = `${name}.jsonl`;
    const errors = `${name}.err.txt`;
    return {
      stream: `${this.folder}/${stream}`,
      keepStream: (piece) => this.#appendTo(stream, piece),
      keepErrors: (piece) => this.#appendTo(errors, piece),
    };
  }

  #appendTo(name: string, piece: string): void {
    const path = join(this.#path, name);
    this.#keep(() => fse.appendFileSync(path, piece, { mode: PRIVATE_MODE }));
  }

  #keep(write: () => void): void {
    try {
      write();
    } catch (error) {
      const code = errorCode(error);
      if (code === undefined) throw error;
      this.#refused ??= code;
    }
  }
}

/** Files of earlier drivers are kept, so the numbers go on. */
function lastNumberIn(folder: string): number {
  const numbers = fse
    .readdirSync(folder)
    .map((name) => Number(NUMBERED_NAME.exec(name)?.[1] ?? 0));
  return Math.max(0, ...numbers);
}
