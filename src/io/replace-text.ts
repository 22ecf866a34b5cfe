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
import { HoldfastError } from '../errors.ts';
import { renamePatiently } from './atomic-write.ts';
import { codeOf } from './read-file.ts';
import { removeIfThere } from './remove.ts';

/** Puts a text in the place of a file anywhere, whole or not at all; its permissions stay. */
export function replaceText(path: string, text: string, mode?: number): void {
  const former = statOf(path);
  if (former !== undefined && (former.mode & 0o222) === 0) {
    throw new HoldfastError({ code: 'not_writable', path, reason: 'it is read-only' });
  }
  mkdirSync(dirname(path), { recursive: true });
  const prefix = `.${basename(path)}.holdfast-`;
  removeLeftovers(dirname(path), prefix);
  const temporary = join(dirname(path), `${prefix}${process.pid}`);
  try {
    const file = openSync(
      temporary,
      'w',
      former === undefined ? (mode ?? 0o644) : former.mode & 0o777,
    );
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (former !== undefined) chmodSync(temporary, former.mode & 0o777);
    renamePatiently(temporary, path);
  } catch (error) {
    removeIfThere(temporary);
    throw error;
  }
}

/** What killed writers of the same file left behind. */
function removeLeftovers(folder: string, prefix: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(prefix)) removeIfThere(join(folder, name));
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
