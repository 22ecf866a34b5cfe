import { lstatSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { HoldfastError } from '../errors/holdfast-error.ts';
import { isObject } from '../util/json.ts';
import { errorCode, isForbidden } from './read-file.ts';

const REFUSED = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOSPC',
  'EDQUOT',
  'EFBIG',
  'EMFILE',
  'EXDEV',
]);
/** Calls that need rights on the folder, not on the path in it. */
const CHANGES_FOLDER = new Set(['mkdir', 'rename', 'rmdir', 'unlink']);
const IN_THE_WAY = new Set(['EISDIR', 'ENOTDIR', 'ENXIO']);

/**
 * Turns errors of the file system into failures; `folder` is named if the error names no file of the user. Afterwards
 * `isPartial` is asked whether `work` had changed anything.
 */
export function translateFsErrors<T>(
  folder: string,
  work: () => T,
  isPartial: () => boolean = () => false,
): T {
  try {
    return work();
  } catch (error) {
    const code = errorCode(error);
    if (error instanceof HoldfastError || code === undefined) throw error;
    const path = pathIn(error, folder);
    if (IN_THE_WAY.has(code)) throw new HoldfastError({ code: 'blocked_path', path });
    if (code === 'ELOOP') throw new HoldfastError({ code: 'outside_project', path });
    if (REFUSED.has(code)) {
      const failure = { code: 'not_writable', path, reason: code } as const;
      throw new HoldfastError(isPartial() ? { ...failure, isPartial: true } : failure);
    }
    throw error;
  }
}

/** Any other error of the file system, with its code and path. */
export function toHoldfastError(error: unknown): unknown {
  const code = errorCode(error);
  if (error instanceof HoldfastError || code === undefined || !isObject(error)) return error;
  if (typeof error['syscall'] !== 'string') return error;
  const path = pathIn(error, error['syscall']);
  const changed = CHANGES_FOLDER.has(error['syscall']) ? dirname(path) : path;
  const forbidden = isForbidden(error) && isAbsolute(path) ? nearestVisible(changed) : null;
  return new HoldfastError({ code: 'disk_refused', path, reason: code, forbidden });
}

/** The path, or the folder above it that has to be changed before anything can be found there. */
function nearestVisible(path: string): string {
  try {
    lstatSync(path);
    return path;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return dirname(path) === path ? path : nearestVisible(dirname(path));
  }
}

/** Temporary files mean nothing to the user, so the folder is named instead. */
function pathIn(error: unknown, folder: string): string {
  const { path, dest } = isObject(error) ? error : {};
  const named = [dest, path].find((candidate) => typeof candidate === 'string');
  return named === undefined || named.includes('/.tmp-') ? folder : named;
}
