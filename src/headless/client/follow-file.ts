import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { LineSplitter } from './stream-lines.ts';

export interface FollowedFile {
  /** Reads what is there and stops. */
  stop: () => void;
}

const POLL_MS = 40;
const CHUNK = 256 * 1024;

/** Calls back for each complete line of a file that another process appends to, from its beginning. */
export function followFile(path: string, onLine: (line: string) => void): FollowedFile {
  const file = openSync(path, 'r');
  const lines = new LineSplitter();
  const buffer = Buffer.alloc(CHUNK);
  let position = 0;
  let isStopped = false;
  const read = (): void => {
    for (;;) {
      const size = readSync(file, buffer, 0, CHUNK, position);
      if (size === 0) return;
      position += size;
      for (const line of lines.push(buffer.subarray(0, size))) onLine(line);
    }
  };
  const timer = setInterval(read, POLL_MS);
  return {
    stop: () => {
      if (isStopped) return;
      isStopped = true;
      clearInterval(timer);
      read();
      closeSync(file);
    },
  };
}

/** The last characters of a file, on one line. */
export function fileEnd(path: string, max: number): string {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const buffer = Buffer.alloc(Math.min(size, max));
    readSync(file, buffer, 0, buffer.length, size - buffer.length);
    return buffer
      .toString('utf8')
      .replace(/^\uFFFD+/, '')
      .replace(/\s+/g, ' ')
      .trim();
  } finally {
    closeSync(file);
  }
}
