import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withLock } from '../io/lock.ts';
import { translateFsErrors } from '../io/fs-errors.ts';
import { removeIfEmpty } from '../io/remove.ts';
import { runtimeFolder } from '../io/runtime-paths.ts';

const LOCK_TIMEOUT_MS = 10_000;

/** Keeps two installations from overwriting each other's record. `work` gets the folders that had to be created. */
export function withInstallLock<T>(config: string, work: (made: string[]) => T): T {
  const home = runtimeFolder(config);
  return translateFsErrors(home, () => {
    const made = makeFolders(home);
    try {
      return withLock(join(home, '.lock'), LOCK_TIMEOUT_MS, () => work(made));
    } finally {
      for (const folder of made.length > 0 ? made : [home]) removeIfEmpty(folder);
    }
  });
}

/** Returns the folders that were missing, innermost first. */
function makeFolders(home: string): string[] {
  const outermost = mkdirSync(home, { recursive: true });
  if (outermost === undefined) return [];
  const made = [home];
  for (let folder = home; folder !== outermost; folder = dirname(folder))
    made.push(dirname(folder));
  return made;
}
