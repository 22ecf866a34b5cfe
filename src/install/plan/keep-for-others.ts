import { basename, dirname } from 'node:path';
import type { Install, InstalledServer } from '../record/record.ts';
import type { Change, PlanRequest } from '../types.ts';
import { isShared } from './owned-files.ts';

export interface KeptForOthers {
  /** The installations that stay, with what they keep of the one that is removed. */
  installs: Install[];
  /** The files that are not removed because an installation that stays uses them. */
  files: ReadonlySet<string>;
}

/**
 * What an installation leaves to those that stay: a local one goes on with the slash commands and the skill of the
 * project, and the last one that uses the client's own file removes what the first one created in it. Files that git
 * tracks are removed nevertheless: otherwise the removal could not be committed.
 */
export function keepForOthers(
  request: PlanRequest,
  former: Install | undefined,
  removals: readonly Change[],
  staying: readonly Install[],
): KeptForOthers {
  if (former === undefined) return { installs: [...staying], files: new Set() };
  const heir = localHeir(request, staying);
  const files = heir === undefined ? [] : untracked(request, removals);
  const installs = staying.map((install) => ({
    ...install,
    ...(install === heir && {
      files: [...new Set([...install.files, ...files])],
      folders: [...new Set([...install.folders, ...former.folders])],
    }),
    ...(install.server !== undefined &&
      former.server !== undefined && { server: withCreatedBy(install.server, former.server) }),
  }));
  return { installs, files: new Set(files) };
}

/** The installation of one user that shares its folders with the one of the project that is removed. */
function localHeir(request: PlanRequest, staying: readonly Install[]): Install | undefined {
  if (request.scope !== 'project' || !isShared(request)) return undefined;
  return staying.find(({ scope, root }) => scope === 'local' && root === request.root);
}

function untracked({ disk }: PlanRequest, removals: readonly Change[]): string[] {
  const tracked = new Map<string, readonly string[]>();
  return removals
    .map(({ path }) => path)
    .filter((path) => {
      const folder = dirname(path);
      const names = tracked.get(folder) ?? disk.trackedIn(folder);
      tracked.set(folder, names);
      return !names.includes(basename(path));
    });
}

/** `found` counts the keys that were there before; those that the removed installation created were not. */
function withCreatedBy(server: InstalledServer, removed: InstalledServer): InstalledServer {
  if (server.path !== removed.path) return server;
  const differs = server.at.findIndex((key, depth) => key !== removed.at[depth]);
  const common = differs < 0 ? server.at.length : differs;
  return {
    ...server,
    found: server.found <= common ? Math.min(server.found, removed.found) : server.found,
    isNewFile: server.isNewFile || removed.isNewFile,
  };
}
