import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

/** The whole lines at the end of a file, at most so many bytes; null where it is no file. */
export function readEnd(path: string, maxBytes: number): string[] | null {
  // Looked at before it is opened: the opening of a FIFO would wait for a writer for ever.
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
