import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withLock } from '../io/lock.ts';
import { inWords } from '../io/refusals.ts';
import { removeIfEmpty } from '../io/remove.ts';
import { homeOf } from './runtime-places.ts';

const WAIT_FOR_OTHERS = 10_000;

/** Two installations at once do not overwrite each other's record. `work` is told which folders had to be made. */
export function exclusively<T>(config: string, work: (made: string[]) => T): T {
  const home = homeOf(config);
  return inWords(home, () => {
    const made = makeFolders(home);
    try {
      return withLock(join(home, '.lock'), WAIT_FOR_OTHERS, () => work(made));
    } finally {
      for (const folder of made.length > 0 ? made : [home]) removeIfEmpty(folder);
    }
  });
}

/** The folders that were missing, innermost first. */
function makeFolders(home: string): string[] {
  const outermost = mkdirSync(home, { recursive: true });
  if (outermost === undefined) return [];
  const made = [home];
  for (let folder = home; folder !== outermost; folder = dirname(folder))
    made.push(dirname(folder));
  return made;
}
