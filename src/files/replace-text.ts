import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { renameWithRetry } from './atomic-write.ts';
import { notWritable } from './fs-errors.ts';
import { errorCode, removeIfThere } from './read-file.ts';

const MARK = '.holdfast-';

export interface Replacing {
  /** For a file that does not exist yet. */
  mode?: number;
  /** Called right before the rename; an exception cancels it. */
  confirm?: () => void;
}

/** Replaces the content of any file atomically and keeps its permissions. */
export function replaceText(
  path: string,
  text: string | Uint8Array,
  { mode = 0o644, confirm }: Replacing = {},
): void {
  const former = statOf(path);
  if (former !== undefined && (former.mode & 0o222) === 0) {
    throw notWritable(path, 'read-only');
  }
  mkdirSync(dirname(path), { recursive: true });
  removeLeftovers(dirname(path), basename(path));
  const temporary = join(dirname(path), `.${basename(path)}${MARK}${process.pid}`);
  try {
    const file = openSync(temporary, 'w', former === undefined ? mode : former.mode & 0o777);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (former !== undefined) chmodSync(temporary, former.mode & 0o777);
    confirm?.();
    renameWithRetry(temporary, path);
  } catch (error) {
    removeIfThere(temporary);
    throw error;
  }
}

/** Temporary files that killed writers left: of one file, or of any in the folder. */
export function removeLeftovers(folder: string, file?: string): void {
  const names = readdirSync(folder).filter((name) =>
    file === undefined ? /^\..+\.holdfast-\d+$/.test(name) : name.startsWith(`.${file}${MARK}`),
  );
  for (const name of names) removeIfThere(join(folder, name));
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
