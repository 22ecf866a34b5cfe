import { lstatSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { isObject } from '../text/json.ts';
import { errorCode, isForbidden, unlessRefused } from './read-file.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { asWord } from '../text/sanitize.ts';

const REFUSED = new Set(
  'EACCES EPERM EROFS ENOSPC EDQUOT EFBIG EMFILE EXDEV'.split(' '),
);
const IN_THE_WAY = new Set(['EISDIR', 'ENOTDIR', 'ENXIO']);

/** Names `folder` if the error names no file of the user. `isPartial` tells whether `work` has changed anything. */
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
    if (IN_THE_WAY.has(code)) throw blockedPath(path);
    if (code === 'ELOOP') throw outsideProject(path);
    if (REFUSED.has(code)) throw notWritable(path, code, isPartial());
    throw error;
  }
}

export function blockedPath(
  path: string,
  wanted: 'file' | 'directory' = 'directory',
): HoldfastError {
  return new HoldfastError(
    'blocked_path',
    `${asWord(path)} exists but is not a ${wanted}`,
    { hint: 'move or rename it, then try again' },
  );
}

export const outsideProject = (path: string): HoldfastError =>
  new HoldfastError(
    'outside_project',
    `${asWord(path)} is a link that leads out of the project`,
    {
      hint: 'replace the link with a directory',
    },
  );

/** `isPartial`: other files of the same change were written before. */
export function notWritable(
  path: string,
  reason: string,
  isPartial = false,
): HoldfastError {
  const done = isPartial
    ? 'a part of the change was made, and `holdfast status` shows it'
    : 'nothing was changed';
  return new HoldfastError(
    'not_writable',
    `cannot write ${asWord(path)} (${reason})`,
    {
      hint: `check the permissions and the free space; ${done}`,
    },
  );
}

export const locked = (path: string, waitMs: number): HoldfastError =>
  new HoldfastError(
    'locked',
    `another holdfast process has held ${asWord(path)} for ${Math.ceil(waitMs / 1000)} s`,
    { hint: 'try again; if no holdfast is running, delete that file' },
  );

/** Any other error of the file system, with its code and path. */
export function toHoldfastError(error: unknown): unknown {
  const code = errorCode(error);
  if (error instanceof HoldfastError || code === undefined || !isObject(error))
    return error;
  if (typeof error['syscall'] !== 'string') return error;
  const path = pathIn(error, error['syscall']);
  // A call that makes or removes an entry needs rights on the folder, not on the path in it.
  const changed = /^(?:mkdir|rename|rmdir|unlink)$/.test(error['syscall'])
    ? dirname(path)
    : path;
  return new HoldfastError(
    'disk_refused',
    `the file system refused ${asWord(path)} (${code})`,
    {
      hint:
        isForbidden(error) && isAbsolute(path)
          ? `check the permissions of ${asWord(nearestVisible(changed))}`
          : 'try again; `holdfast status` shows where the run stands',
    },
  );
}

/** The path, or the folder above it that has to be changed before anything can be found there. */
function nearestVisible(path: string): string {
  const isVisible = unlessRefused(() => lstatSync(path)) !== null;
  return isVisible || dirname(path) === path
    ? path
    : nearestVisible(dirname(path));
}

/** Temporary files mean nothing to the user, so the folder is named instead. */
function pathIn(error: unknown, folder: string): string {
  const { path, dest } = isObject(error) ? error : {};
  const named = [dest, path].find((candidate) => typeof candidate === 'string');
  return named === undefined || named.includes('/.tmp-') ? folder : named;
}
