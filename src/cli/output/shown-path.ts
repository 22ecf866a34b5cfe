import nodePath, { type PlatformPath } from 'node:path';

/** A file as people see it: relative to where they are if it is below, with forward slashes, else in full. */
export function shownPath(cwd: string, file: string, paths: PlatformPath = nodePath): string {
  const near = paths.relative(cwd, file);
  // On Windows, the way to another drive is the whole path.
  const isBelow = near !== '' && !paths.isAbsolute(near) && near.split(paths.sep)[0] !== '..';
  return isBelow ? near.split(paths.sep).join('/') : file;
}
