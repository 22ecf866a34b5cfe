import { dirname } from 'node:path';
import { initExcludes, removeExcludes } from './plan-excludes.ts';
import { initFiles, removeFiles } from './plan-files.ts';
import { initSettings, removeFromSettings } from './plan-settings.ts';
import { findInstall, withInstall, withoutInstall, type Install } from './record.ts';
import { placesOf } from './scopes.ts';
import type { Change, Disk, InitRequest, Plan, Request } from './types.ts';

export function planInit(request: InitRequest): Plan {
  const { scope, root, config, disk, installs } = request;
  const former = findInstall(installs, scope, root);
  const places = placesOf(scope, root, config);
  const settings = initSettings(request, disk.target(places.settings), former);
  const files = initFiles(request, places);
  const excludes = initExcludes(request, places, former);
  const changes = [...excludes.changes, ...files.changes, ...settings.changes];
  const install: Install = {
    scope,
    root: scope === 'user' ? null : root,
    edited: [...settings.edited, ...excludes.edited],
    folders: [
      ...new Set([...(former?.folders ?? []), ...newFolders(disk, changes), ...request.made]),
    ],
    excluded: excludes.excluded,
  };
  return {
    changes,
    backups: [...settings.backups, ...excludes.backups],
    kept: files.kept,
    folders: [],
    installs: withInstall(installs, install),
  };
}

export function planUninstall(request: Request): Plan {
  const { scope, root, config, disk, installs } = request;
  const former = findInstall(installs, scope, root);
  const places = placesOf(scope, root, config);
  const left = withoutInstall(installs, scope, root);
  const files = removeFiles(disk, places);
  const settings = removeFromSettings(request, disk.target(places.settings), former);
  const excludes = removeExcludes(request, former, left);
  const needed = new Set(left.installs.flatMap(({ edited }) => edited.map(({ backup }) => backup)));
  const backups = (former?.edited ?? []).flatMap(({ backup }) => {
    const before = backup === null ? null : disk.read(backup);
    return backup === null || before === null || needed.has(backup)
      ? []
      : [{ path: backup, before, after: null }];
  });
  return {
    changes: [...settings, ...files.changes, ...excludes],
    backups,
    kept: files.kept,
    folders: [...(former?.folders ?? []), places.commands, places.skill],
    installs: left,
  };
}

/** The folders that have to be made, innermost first. */
function newFolders(disk: Disk, changes: readonly Change[]): string[] {
  const missing = new Set<string>();
  for (const { path, after } of changes) {
    if (after === null) continue;
    for (let folder = dirname(path); !disk.isFolder(folder); folder = dirname(folder)) {
      missing.add(folder);
    }
  }
  return [...missing].toSorted((a, b) => b.length - a.length);
}
