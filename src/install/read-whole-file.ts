import { readFileSync, statSync } from 'node:fs';
import { notText, unreadableInput } from '../errors/bad-input.ts';
import { HoldfastError } from '../errors/holdfast-error.ts';
import { errorCode } from '../io/read-file.ts';

const MAX_BYTES = 20_000_000;

/** The text of a file, if writing it again would give the same bytes; null if there is no file. */
export function readWhole(path: string): string | null {
  const stat = orAbsent(path, () => statSync(path));
  if (stat === null) return null;
  if (!stat.isFile()) throw notAFile(path);
  if (stat.size > MAX_BYTES) throw unreadableInput(path, 'too large');
  const bytes = orAbsent(path, () => readFileSync(path));
  const text = bytes?.toString('utf8') ?? null;
  if (bytes !== null && text !== null && !Buffer.from(text).equals(bytes)) throw notText(path);
  return text;
}

export function notAFile(path: string): HoldfastError {
  return new HoldfastError('not_a_file', `${path} exists but is not a file`, {
    hint: 'move or rename it, then try again; nothing was changed',
  });
}

export function orAbsent<T>(path: string, look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    if (isAbsence(error)) return null;
    const errno = errorCode(error);
    if (errno === 'ELOOP') throw notAFile(path);
    if (errno === undefined) throw error;
    throw unreadableInput(path, errno);
  }
}

export function isAbsence(error: unknown): boolean {
  return errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR';
}
