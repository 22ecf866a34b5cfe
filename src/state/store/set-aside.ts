import { join } from 'node:path';
import { locate, namesIfReadable } from '../../io/read-file.ts';
import { hasHiddenCharacters } from '../../util/hidden-characters.ts';
import { STATE_FOLDER } from '../paths.ts';

const QUARANTINED = /^state-.+\.json\.corrupt-/s;
const MAX_FILES = 100;

/** Unreadable state files that an earlier writer has renamed, as paths from the project root. */
export function listSetAside(root: string): string[] {
  if (locate(root, join(root, STATE_FOLDER)) !== 'inside') return [];
  // The runs in a folder that cannot be read are reported elsewhere.
  return namesIfReadable(join(root, STATE_FOLDER))
    .toSorted()
    .flatMap((folder) =>
      namesIfReadable(join(root, STATE_FOLDER, folder))
        .toSorted()
        .filter((name) => QUARANTINED.test(name) && !hasHiddenCharacters(name))
        .map((name) => `${STATE_FOLDER}/${folder}/${name}`),
    )
    .slice(0, MAX_FILES);
}
