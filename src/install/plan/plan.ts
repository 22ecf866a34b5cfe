import { dirname, join } from 'node:path';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { folderPatterns, excludesFor, initExcludes, removeExcludes } from './plan-excludes.ts';
import { initFiles, removeFiles } from './plan-files.ts';
import { initServer, removeServer } from './plan-server.ts';
import { initSettings, removeFromSettings } from './plan-settings.ts';
import type { Excluded, Install, Installs } from '../record/record.ts';
import { findInstall, othersThan, withoutGone, withoutInstall } from '../record/record-changes.ts';
import { runtimeFolder } from '../../io/runtime-paths.ts';
import { placesOf, type Places } from './scopes.ts';
import type { Change, Disk, InitRequest, Plan, PlanRequest } from '../types.ts';

export function planInit(request: InitRequest): Plan {
  refuseUserFolder(request, 'init');
  const { scope, root, config, disk, made } = request;
  const { left, gone } = withoutGone(request.installs, disk.isGone);
  const former = findInstall(left, scope, root);
  const places = placesOf(scope, root, config);
  const settings = initSettings(request, disk.target(places.settings), former);
  const present = othersThan(left, scope, root);
  const files = initFiles(request, places, former, present);
  const shown = scope === 'project' ? folderPatterns(disk, [places.commands, places.skill]) : [];
  const others = present.map((other) => handingOver(other, files.files, shown));
  const excluded = excludesFor(request, places, files.files.length > 0);
  const obsolete = [...hiddenIn(gone), ...(former?.excluded ?? []), ...shown];
  const excludes = initExcludes(request, excluded, former, { others, obsolete });
  const { server, ...servers } = initServer(request, former);
  const changes = [...excludes.changes, ...files.changes, ...settings.changes, ...servers.changes];
  const folders = newFolders(disk, changes);
  const install: Install = {
    scope,
    root: scope === 'user' ? null : root,
    edited: [...settings.edited, ...excludes.edited],
    files: files.files,
    folders: [
      ...new Set([...(former?.folders ?? []), ...folders, ...made, ...foldersOf(gone, disk)]),
    ],
    excluded,
    ...(server === undefined ? {} : { server }),
  };
  const installs: Installs = { ...left, installs: [...others, install] };
  return {
    changes,
    backups: [...settings.backups, ...excludes.backups],
    kept: files.kept,
    foreign: files.foreign,
    foreignServers: servers.foreign,
    folders,
    installs,
  };
}

export function planUninstall(request: PlanRequest): Plan {
  const { scope, root, config, disk, isComplete } = request;
  if (scope === 'project') refuseUserFolder(request, 'uninstall');
  const { left, gone } = withoutGone(request.installs, disk.isGone);
  const former = findInstall(left, scope, root);
  const places = placesOf(scope, root, config);
  const installs = withoutInstall(left, scope, root);
  const others = installs.installs;
  const files = removeFiles(request, places, former, others);
  const settings = removeFromSettings(request, disk.target(places.settings), former);
  // The copy stays where others may use it, and then it stays hidden.
  const home = isComplete ? [] : folderPatterns(disk, [runtimeFolder(config)]);
  const obsolete = [
    ...hiddenIn(gone),
    ...(former?.excluded ?? excludesFor(request, places, true)),
  ].filter(({ pattern }) => home.every((kept) => kept.pattern !== pattern));
  const excludes = removeExcludes(request, former, { others, obsolete });
  return {
    changes: [...settings, ...files.changes, ...excludes, ...removeServer(request, former)],
    backups: [],
    kept: files.kept,
    foreign: [],
    foreignServers: [],
    folders: [
      ...(former?.folders ?? foldersAround(places, config)),
      ...foldersOf(gone, disk),
      places.commands,
      places.skill,
    ],
    installs,
  };
}

/** In the home folder, the settings of a project would be those of the user for all projects. */
function refuseUserFolder(
  { scope, root, config, disk }: PlanRequest,
  command: 'init' | 'uninstall',
) {
  if (scope === 'user' || disk.real(join(root, '.claude')) !== disk.real(config)) return;
  throw new HoldfastError({ code: 'user_folder', path: config, command });
}

/** What is there for the whole project from now on is not one user's any more. */
function handingOver(
  other: Install,
  files: readonly string[],
  shown: readonly Excluded[],
): Install {
  return {
    ...other,
    files: other.files.filter((path) => !files.includes(path)),
    excluded: other.excluded.filter(
      ({ file, pattern }) => !shown.some((one) => one.file === file && one.pattern === pattern),
    ),
  };
}

function hiddenIn(installs: readonly Install[]): Excluded[] {
  return installs.flatMap(({ excluded }) => excluded);
}

function foldersOf(installs: readonly Install[], disk: Disk): string[] {
  return installs.flatMap(({ folders }) => folders).filter(disk.isFolder);
}

/** Without a record, those that an installation may have made, innermost first. */
function foldersAround({ settings, commands, skill }: Places, config: string): string[] {
  return [commands, skill]
    .flatMap((folder) => [folder, dirname(folder)])
    .concat(dirname(settings), runtimeFolder(config), config);
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
