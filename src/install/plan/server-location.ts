import { basename, dirname, join, sep } from 'node:path';
import type { PlanRequest } from '../types.ts';

/** Where the client keeps the MCP servers of a scope. */
export interface ServerPlace {
  path: string;
  /** The keys that lead to the servers in it. */
  at: string[];
  /** Whether it is the client's own file, which may hold secrets. */
  isPrivate: boolean;
}

export function serverPlaceOf({
  scope,
  root,
  hostFile,
  disk,
}: Pick<PlanRequest, 'scope' | 'root' | 'hostFile' | 'disk'>): ServerPlace {
  if (scope === 'project')
    return { path: disk.target(join(root, '.mcp.json')), at: ['mcpServers'], isPrivate: false };
  const path = disk.target(hostFile);
  const at = scope === 'user' ? ['mcpServers'] : ['projects', projectOf(root, disk), 'mcpServers'];
  return { path, at, isPrivate: true };
}

/** The client identifies a project by the main worktree of its repository, even in another worktree or a sub-folder. */
function projectOf(root: string, disk: PlanRequest['disk']): string {
  const real = disk.real(root);
  const exclude = disk.excludeFor(join(real, '.mcp.json'));
  if (exclude === undefined) return real.split(sep).join('/');
  const common = dirname(dirname(exclude.file));
  const main = basename(common) === '.git' ? dirname(common) : exclude.top;
  return main.split(sep).join('/');
}
