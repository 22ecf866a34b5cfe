import { basename, dirname, join } from 'node:path';
import { entriesIn, locate } from '../../files/read-file.ts';
import { asWord, hasHiddenCharacters } from '../../text/sanitize.ts';
import * as paths from '../paths.ts';
import { isSetAside } from './set-aside.ts';

/** JSON files of holdfast in the state folder that are no runs. */
const OWN_FILES = new Set([
  paths.FORMER_HOOK_FILE,
  paths.SOURCE_RECORDS_FILE,
  paths.PURGED_FILE,
  paths.TODO_RECORD_FILE,
]);

/** Of each kind; a folder of another program may be in the wrong place with all that is in it. */
const MAX_SHOWN = 100;

/**
 * The files below the state folder that are not read: unreadable state files that an earlier writer has renamed, and
 * JSON files in other places or with other names.
 */
export function listUnused(root: string): {
  setAside: string[];
  misplaced: string[];
} {
  const setAside: string[] = [];
  const misplaced: string[] = [];
  const isInside = locate(root, join(root, paths.STATE_FOLDER)) === 'inside';
  const files = isInside ? filesBelow(root, paths.STATE_FOLDER) : [];
  for (const path of files.toSorted()) {
    const name = basename(path);
    const isInRunFolder = dirname(dirname(path)) === paths.STATE_FOLDER;
    const isRun = isInRunFolder && paths.runIdOf(name) !== undefined;
    if (isInRunFolder && isSetAside(name)) setAside.push(path);
    if (name.endsWith('.json') && !isRun && !OWN_FILES.has(path))
      misplaced.push(path);
  }
  return {
    setAside: setAside.slice(0, MAX_SHOWN),
    misplaced: misplaced.slice(0, MAX_SHOWN),
  };
}

/** Without hidden files. What is in a folder that cannot be read is reported elsewhere. */
function filesBelow(root: string, folder: string): string[] {
  const files: string[] = [];
  for (const entry of entriesIn(join(root, folder))) {
    const { name } = entry;
    const path = `${folder}/${name}`;
    if (name.startsWith('.') || hasHiddenCharacters(name)) continue;
    if (!entry.isDirectory()) files.push(path);
    else for (const below of filesBelow(root, path)) files.push(below);
  }
  return files;
}

export function describeMisplaced(path: string): string {
  return `${asWord(path)} is not read: a state file is ${paths.STATE_FOLDER}/<name>/state-<name>-<YYYYMMDD_HHMMSS>.json`;
}
