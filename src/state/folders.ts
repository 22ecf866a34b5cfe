import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HoldfastError } from '../errors.ts';
import { codeOf, placeOf } from '../io/read-file.ts';
import { ARCHIVE_FOLDER, STATE_FOLDER } from './places.ts';

/** Makes the folders one by one, so that no link on the way leads the writing out of the project. */
export function makeFolder(root: string, folder: string): void {
  let path = '';
  for (const part of folder.split('/')) {
    path = path === '' ? part : `${path}/${part}`;
    const full = join(root, path);
    const isNew = makeIfMissing(full, path);
    if (placeOf(root, full) !== 'inside')
      throw new HoldfastError({ code: 'outside_project', path });
    if (isNew && (path === STATE_FOLDER || path === ARCHIVE_FOLDER)) {
      hideFromGit(full);
    }
  }
}

/** A file that is there already stays as it is. */
export function hideFromGit(full: string): void {
  try {
    writeFileSync(join(full, '.gitignore'), '*\n', { flag: 'wx' });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

function makeIfMissing(full: string, path: string): boolean {
  try {
    mkdirSync(full);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOTDIR') throw new HoldfastError({ code: 'blocked_path', path });
    if (code !== 'EEXIST') throw error;
  }
  const stat = lstatSync(full);
  if (!stat.isDirectory() && !stat.isSymbolicLink())
    throw new HoldfastError({ code: 'blocked_path', path });
  return false;
}
