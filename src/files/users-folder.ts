import { userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isInside, realPath, runtimeFolder } from './environment.ts';
import { folderOfRepository, repositoryOf, type Repository } from './git.ts';

/**
 * Whether what is in the user's folder may have come with the project or the repository that it is a part of: the
 * settings of a project can set CLAUDE_CONFIG_DIR. ~/.claude is always the user's own, even if home is a repository.
 */
export function isInProject(
  { config, root }: { config: string; root: string },
  home?: string | null,
): boolean {
  const own = resolve(runtimeFolder(config));
  const isBelow = (folder: string): boolean =>
    isInside(resolve(folder), own) ||
    isInside(realPath(resolve(folder)), realPath(own));
  const cloned = repositoriesAround(root).flatMap((each) => [
    each.top,
    checkoutOf(each),
  ]);
  if (!isBelow(root) && !cloned.some(isBelow)) return false;

  // Asked last, because most configuration folders are elsewhere.
  const account = home === undefined ? accountHome() : home;
  if (account === null) return true;
  if (resolve(config) === join(account, '.claude')) return false;
  // A home folder that is a repository makes no project of the folders in it.
  const realHome = realPath(account);
  return (
    isBelow(root) ||
    cloned.some((folder) => isBelow(folder) && !isInside(folder, realHome))
  );
}

/**
 * The project may be a sub-folder of what was cloned, or a submodule in it, and a `.git` of its own may have come with
 * it. So every repository around it counts.
 */
function repositoriesAround(root: string): Repository[] {
  const repositories: Repository[] = [];
  let repository = repositoryOf(realPath(resolve(root)));
  while (repository !== undefined) {
    repositories.push(repository);
    const parent = dirname(repository.top);
    repository = parent === repository.top ? undefined : repositoryOf(parent);
  }
  return repositories;
}

/** The main checkout; what git keeps of a bare repository is beside its worktrees, as a rule. */
function checkoutOf(repository: Repository): string {
  return repository.mainCheckout ?? dirname(folderOfRepository(repository));
}

/** Not $HOME, which the settings of a project can set as well. */
function accountHome(): string | null {
  try {
    return userInfo().homedir;
  } catch {
    // A user unknown to the system, as in some containers, has no home to compare with.
    return null;
  }
}
