import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

/** The complete lines in the last `maxBytes` of a file; null if it is not a file. */
export function readEnd(path: string, maxBytes: number): string[] | null {
  // Checked before opening, because opening a FIFO waits for a writer.
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return null;
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, maxBytes));
    const length = readSync(file, bytes, 0, bytes.length, size - bytes.length);
    const lines = bytes.toString('utf8', 0, length).split('\n');
    return (size > maxBytes ? lines.slice(1) : lines).filter((line) => line.trim() !== '');
  } finally {
    closeSync(file);
  }
}
