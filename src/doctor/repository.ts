import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The nearest folder, from here upwards, that git would take for a repository. */
export function repositoryAround(start: string): string | null {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return null;
  }
}
