import { join, sep } from 'node:path';
import { repositoryOf } from '../files/git.ts';
import { realPath } from '../files/environment.ts';
import { linkTarget } from './disk.ts';

export const SCOPES = ['local', 'project', 'user'] as const;
export type Scope = (typeof SCOPES)[number];

/** The files and folders of a scope that the client reads. */
export interface Places {
  settings: string;
  commands: string;
  skill: string;
}

export function placesOf(scope: Scope, root: string, config: string): Places {
  const base = scope === 'user' ? config : join(root, '.claude');
  const file = scope === 'local' ? 'settings.local.json' : 'settings.json';
  return {
    settings: join(base, file),
    commands: join(base, 'commands', 'holdfast'),
    skill: join(base, 'skills', 'holdfast'),
  };
}

/** Where the client keeps the MCP servers of a scope. */
export interface ServerPlace {
  path: string;
  /** The keys that lead to the servers in the file. */
  at: string[];
}

/** `hostFile` is the client's own file about the user and the projects (`~/.claude.json`). */
export function serverPlaceOf(
  scope: Scope,
  root: string,
  hostFile: string,
): ServerPlace {
  if (scope === 'project')
    return { path: linkTarget(join(root, '.mcp.json')), at: ['mcpServers'] };
  const at = scope === 'user' ? [] : ['projects', hostProject(root)];
  return { path: linkTarget(hostFile), at: [...at, 'mcpServers'] };
}

/** The client identifies a project by the main worktree of its repository, even in another worktree or a sub-folder. */
function hostProject(root: string): string {
  const real = realPath(root);
  const repository = repositoryOf(real);
  const main = repository?.mainCheckout ?? repository?.top ?? real;
  return main.split(sep).join('/');
}
