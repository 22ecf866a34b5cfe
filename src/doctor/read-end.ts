import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** The whole lines at the end of a file, at most so many bytes. */
export function readEnd(path: string, maxBytes: number): string[] {
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
