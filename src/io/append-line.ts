import { closeSync, constants, fstatSync, readSync, writeSync } from 'node:fs';
import { openRegularFile } from './open-regular-file.ts';

/** Appends a line, on a new line if a killed writer left a partial one. Returns the file's new size. */
export function appendLine(path: string, line: string): number {
  const file = openRegularFile(path, constants.O_RDWR | constants.O_APPEND);
  try {
    const { size } = fstatSync(file);
    const last = Buffer.alloc(1);
    const isHalf = size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
    return size + writeSync(file, isHalf ? `\n${line}` : line);
  } finally {
    closeSync(file);
  }
}
