import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { repositoryOf } from '../files/git.ts';
import { STATE_FOLDER } from '../state/paths.ts';
import { checkoutOf } from './client-process.ts';
import type { SessionRegistry } from './session-registry.ts';

export interface KnownProject {
  root: string;
  /** Stands for the root in addresses, and in the records of its sessions. */
  key: string;
  /** The git folder that all checkouts of its repository share; the root itself outside of git. */
  repository: string;
  /** `shop`, and `shop › fix-login` for a worktree or a folder of that repository. */
  name: string;
}

/** The projects that sessions of this user have worked in, and `here`. None is searched for; those that are gone are left out. */
export function knownProjects(registry: SessionRegistry, here: string): KnownProject[] {
  const roots = new Set([here, ...registry.entries().flatMap(({ project }) => project ?? [])]);
  return [...roots].filter((root) => existsSync(join(root, STATE_FOLDER))).map(projectAt);
}

function projectAt(root: string): KnownProject {
  const own = basename(root);
  const key = checkoutOf(root);
  const repository = repositoryOf(root);
  if (repository === undefined) return { root, key, repository: root, name: own };
  const { common } = repository;
  // The repository is called as its main checkout.
  const main = basename(basename(common) === '.git' ? dirname(common) : common, '.git');
  const name = join(root, '.git') === common ? own : `${main} › ${own}`;
  return { root, key, repository: common, name };
}
