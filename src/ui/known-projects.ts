import { basename, join } from 'node:path';
import fse from 'fs-extra';
import { folderOfRepository, repositoryOf } from '../files/git.ts';
import { checkoutOf } from '../sessions/client-process.ts';
import type { SessionRegistry } from '../sessions/session-registry.ts';
import { STATE_FOLDER } from '../state/paths.ts';

export interface KnownProject {
  root: string;
  /** Stands for the root in addresses, and in the records of its sessions. */
  key: string;
  /** The main checkout, which stands for the repository; the root itself outside of git. */
  repository: string;
  /** `shop`, and `shop › fix-login` for a worktree or a folder of that repository. */
  name: string;
}

/** The projects that sessions of this user have worked in, and `here`. None is searched for; those that are gone are left out. */
export function knownProjects(
  registry: SessionRegistry,
  here: string,
): KnownProject[] {
  const roots = new Set([here]);
  for (const { project } of registry.entries()) {
    if (project !== undefined) roots.add(project);
  }
  return [...roots]
    .filter((root) => fse.existsSync(join(root, STATE_FOLDER)))
    .map(projectAt);
}

function projectAt(root: string): KnownProject {
  const gitFolder = repositoryOf(root);
  const repository =
    gitFolder === undefined ? root : folderOfRepository(gitFolder);
  const folder = basename(root);
  // A bare repository is often a folder such as `shop.git`.
  const repositoryName = basename(repository, '.git');

  return {
    root,
    key: checkoutOf(root),
    repository,
    name: repository === root ? folder : `${repositoryName} › ${folder}`,
  };
}
