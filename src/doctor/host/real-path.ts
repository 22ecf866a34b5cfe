import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The path without links; of what is not there, where it would be. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    // Whatever the reason, the folder above tells; the topmost one is always there.
    return dirname(path) === path ? path : join(realPath(dirname(path)), basename(path));
  }
}
