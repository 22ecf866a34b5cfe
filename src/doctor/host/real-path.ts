import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The path without links, also for files that do not exist. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    // Whatever the reason, resolve the parent folder instead; the root always exists.
    return dirname(path) === path ? path : join(realPath(dirname(path)), basename(path));
  }
}
