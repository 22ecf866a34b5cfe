import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, locate } from '../../io/read-file.ts';
import { hasHiddenCharacters } from '../../util/hidden-characters.ts';
import { STATE_FOLDER } from '../paths.ts';

const QUARANTINED = /^state-.+\.json\.corrupt-/s;
const MAX_FILES = 100;

/** State files that were unreadable and have been renamed, as paths from the project root. */
export function listSetAside(root: string): string[] {
  if (locate(root, join(root, STATE_FOLDER)) !== 'inside') return [];
  return namesIn(join(root, STATE_FOLDER))
    .flatMap((folder) =>
      namesIn(join(root, STATE_FOLDER, folder))
        .filter((name) => QUARANTINED.test(name) && !hasHiddenCharacters(name))
        .map((name) => `${STATE_FOLDER}/${folder}/${name}`),
    )
    .slice(0, MAX_FILES);
}

/** Empty for a file, and for a folder that cannot be read: the runs in it are reported elsewhere. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}
