import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';

export type Refusal =
  | 'not a file'
  | 'too large'
  | 'outside the project'
  | 'binary'
  | 'not permitted';

export type FileReading =
  | { kind: 'text'; text: string; modifiedAt: number }
  | { kind: 'absent' }
  | { kind: 'refused'; why: Refusal; size?: number };

/** Without O_NONBLOCK the opening of a FIFO would wait for a writer for ever. Windows has neither flag. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** A file of the project as text; links may not lead out of it. */
export function readProjectFile(root: string, path: string, maxBytes: number): FileReading {
  const full = join(root, path);
  const place = placeOf(root, full);
  if (place !== 'inside') {
    return place === 'absent' ? { kind: 'absent' } : { kind: 'refused', why: place };
  }
  return readTextFile(full, maxBytes);
}

export type Place = 'inside' | 'absent' | 'outside the project' | 'not permitted';

export function placeOf(root: string, full: string): Place {
  try {
    const real = realpathSync.native(full);
    return isInside(realpathSync.native(root), real) ? 'inside' : 'outside the project';
  } catch (error) {
    return codeOf(error) === 'EACCES' ? 'not permitted' : 'absent';
  }
}

export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

export function readTextFile(full: string, maxBytes: number, flags = 0): FileReading {
  let file: number;
  try {
    file = openSync(full, READ | flags);
  } catch (error) {
    return unopened(error);
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return { kind: 'refused', why: 'not a file' };
    if (stat.size > maxBytes) return { kind: 'refused', why: 'too large', size: stat.size };
    const bytes = readAll(file, stat.size);
    if (bytes.includes(0)) return { kind: 'refused', why: 'binary' };
    const text = bytes.toString('utf8');
    return { kind: 'text', text: text.replace(/^\uFEFF/, ''), modifiedAt: stat.mtimeMs };
  } finally {
    closeSync(file);
  }
}

function readAll(file: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let length = 0;
  while (length < size) {
    const read = readSync(file, bytes, length, size - length, null);
    if (read === 0) break;
    length += read;
  }
  return bytes.subarray(0, length);
}

function unopened(error: unknown): FileReading {
  switch (codeOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return { kind: 'absent' };
    case 'EACCES':
    case 'EPERM':
      return { kind: 'refused', why: 'not permitted' };
    case 'ELOOP':
    case 'ENXIO':
    case 'EISDIR':
      return { kind: 'refused', why: 'not a file' };
    default:
      throw error;
  }
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}
