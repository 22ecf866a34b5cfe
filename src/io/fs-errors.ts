import { HoldfastError } from '../errors/holdfast-error.ts';
import { isObject } from '../util/json.ts';
import { errorCode } from './read-file.ts';

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
const IN_THE_WAY = new Set(['EISDIR', 'ENOTDIR', 'ENXIO']);

/** What the file system refuses, in words for people; `folder` is named where the error names nothing of theirs. */
export function translateFsErrors<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = errorCode(error);
    if (error instanceof HoldfastError || code === undefined) throw error;
    const path = pathIn(error, folder);
    if (IN_THE_WAY.has(code)) throw new HoldfastError({ code: 'blocked_path', path });
    if (code === 'ELOOP') throw new HoldfastError({ code: 'outside_project', path });
    if (REFUSED.has(code)) throw new HoldfastError({ code: 'not_writable', path, reason: code });
    throw error;
  }
}

/** Any other refusal of the file system, where nobody knew what it means. */
export function toHoldfastError(error: unknown): unknown {
  const code = errorCode(error);
  if (error instanceof HoldfastError || code === undefined || !isObject(error)) return error;
  if (typeof error['syscall'] !== 'string') return error;
  return new HoldfastError({
    code: 'disk_refused',
    path: pathIn(error, error['syscall']),
    reason: code,
  });
}

/** A temporary file of ours means nothing to people: they are told the folder. */
function pathIn(error: unknown, folder: string): string {
  const { path, dest } = isObject(error) ? error : {};
  const named = [dest, path].find((candidate) => typeof candidate === 'string');
  return named === undefined || named.includes('/.tmp-') ? folder : named;
}
