import { repositoryOf } from '../io/git.ts';
import { readTextFile } from '../io/read-file.ts';

/** Whether sync may be on here, by a look at git's configuration file: most projects pay nothing more for it. */
export function maySync(root: string): boolean {
  return isInConfig(root, '[holdfast "');
}

/** Whether sync may ever have been on here; the clone keeps its id. */
export function mayHaveSynced(root: string): boolean {
  return isInConfig(root, '[holdfast');
}

function isInConfig(root: string, section: string): boolean {
  const repository = repositoryOf(root);
  if (repository === undefined) return false;
  const config = readTextFile(`${repository.common}/config`, 1_000_000);
  return config.kind === 'text' && config.text.includes(section);
}
