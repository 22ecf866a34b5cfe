import { repositoryOf } from '../io/git.ts';
import { readTextFile } from '../io/read-file.ts';

/** Whether sync may be or have been on here, by a look at git's configuration file: most projects pay nothing more. */
export function maySync(root: string): boolean {
  const repository = repositoryOf(root);
  if (repository === undefined) return false;
  const config = readTextFile(`${repository.common}/config`, 1_000_000);
  return config.kind === 'text' && config.text.includes('[holdfast');
}
