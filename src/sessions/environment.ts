import { hostname } from 'node:os';
import { isAbsolute, relative, sep } from 'node:path';
import { digestOf } from '../io/digest.ts';
import { checkedOutCommit } from '../io/git.ts';
import type { Environment } from '../state/types.ts';
import { bootId, clientFields, type ClientProcess } from './client-process.ts';

/** `client` is the process of the host if known; it stays the same across /clear. */
export function environmentOf(
  root: string,
  cwd: string,
  client: ClientProcess | null,
): Environment {
  const commit = checkedOutCommit(root);
  const boot = bootId();
  return {
    hostname: hostname(),
    platform: process.platform,
    cwd: withProjectRoot(root, cwd),
    checkout: checkoutOf(root),
    ...(boot === null ? {} : { boot }),
    ...(commit === undefined ? {} : { git_commit: commit }),
    ...(client === null ? {} : clientFields(client)),
  };
}

/** Identifies the checkout: sessions in a state folder that was copied from another one are not live here. */
export function checkoutOf(root: string): string {
  return digestOf(root);
}

/** Writes a path inside the project relative to `{project_root}`, so that it is valid on other machines. */
export function withProjectRoot(root: string, path: string): string {
  const inside = path === root ? '' : relative(root, path);
  if (inside === '') return '{project_root}';
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return path;
  return `{project_root}/${inside.split(sep).join('/')}`;
}

/**
 * Hooks and MCP servers are told. A command is not, but the Bash tool starts in the launch folder; one that has
 * changed into a sub-folder is treated like a client launched there, which loads less.
 */
export function launchFolderOf(
  environment: Record<string, string | undefined>,
  cwd: string,
): string {
  const launched = environment['CLAUDE_PROJECT_DIR'] ?? '';
  return launched === '' ? cwd : launched;
}
