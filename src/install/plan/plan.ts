import { dirname, join } from 'node:path';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { excludeFilesFor, planExcludes } from './plan-excludes.ts';
import { initFiles, removeFiles } from './plan-files.ts';
import { moduleFolders } from './module-files.ts';
import { initModule, removeModule } from './plan-module.ts';
import { initServer, removeServer, withoutGoneServers } from './plan-server.ts';
import { initSettings, removeFromSettings } from './plan-settings.ts';
import { findInstall, othersThan, type Install, type Installs } from '../record/record.ts';
import { runtimeFolder } from '../../io/runtime-paths.ts';
import { placesOf, type Places } from './scopes.ts';
import type { Change, Disk, InitRequest, Plan, PlanRequest } from '../types.ts';

export function planInit(request: InitRequest): Plan {
  refuseUserFolder(request, 'init');
  const { scope, root, config, disk, made } = request;
  const { left, gone } = withoutGone(request);
  const former = findInstall(left, scope, root);
  const places = placesOf(scope, root, config);
  const settings = initSettings(request, disk.target(places.settings), former);
  const present = othersThan(left, scope, root);
  const files = initFiles(request, places, former, present);
  const others = present.map((other) => withoutFiles(other, files.files));
  const { module, ...modules } = initModule(request, places, former);
  const { server, ...servers } = initServer(request, former);
  const own = { scope, root: scope === 'user' ? null : root, files: files.files, module };
  const install: Install = {
    ...own,
    edited: settings.edited,
    excludes: excludeFilesFor(request, own),
    ...(server === undefined ? {} : { server }),
    ...(settings.statusLine === undefined ? {} : { statusLine: settings.statusLine }),
  };
  // What this installation takes over from another one of the project may have to be shown by git again.
  const affected = [install, ...left.installs.filter((other) => other.root === own.root), ...gone];
  const excludes = planExcludes(request, affected.flatMap(excludesOf), [...others, install]);
  const serverChanges = withoutGoneServers(request, servers.changes, gone);
  const changes = [
    ...excludes,
    ...files.changes,
    ...modules.changes,
    ...settings.changes,
    ...serverChanges,
  ];
  const folders = newFolders(disk, changes);
  const allFolders = [...left.folders.filter(disk.isFolder), ...folders, ...made];
  const installs: Installs = {
    ...left,
    folders: [...new Set(allFolders)],
    installs: [...others, install],
  };
  return {
    changes,
    backups: settings.backups,
    kept: [...files.kept, ...modules.kept],
    foreign: [...files.foreign, ...modules.foreign],
    foreignServers: servers.foreign,
    folders,
    installs,
  };
}

/** What a local installation shares with the one of the project, another `init` of it writes again. */
export function planUninstall(request: PlanRequest): Plan {
  const { scope, root, config, disk } = request;
  if (scope === 'project') refuseUserFolder(request, 'uninstall');
  const { left, gone } = withoutGone(request);
  const former = findInstall(left, scope, root);
  const places = placesOf(scope, root, config);
  const others = othersThan(left, scope, root);
  const files = removeFiles(request, places, former, others);
  const modules = removeModule(request, places, former);
  const settings = removeFromSettings(request, disk.target(places.settings), former);
  const own =
    former?.excludes ?? excludeFilesFor(request, { scope, root, files: ['any'], module: [] });
  const excludes = planExcludes(request, [...own, ...gone.flatMap(excludesOf)], others);
  const servers = withoutGoneServers(request, removeServer(request, former), gone);
  return {
    changes: [...settings, ...modules.changes, ...files.changes, ...excludes, ...servers],
    backups: [],
    kept: [...files.kept, ...modules.kept],
    foreign: [],
    foreignServers: [],
    folders: innermostFirst([
      ...left.folders,
      ...(former === undefined ? foldersAround(places, config) : []),
      ...moduleFolders(places),
      places.commands,
      places.skill,
    ]),
    installs: { ...left, installs: others },
  };
}

/** Without the installations of projects that were deleted or moved. */
function withoutGone({ installs, disk }: PlanRequest): { left: Installs; gone: Install[] } {
  const gone = installs.installs.filter(({ root }) => root !== null && disk.isGone(root));
  const left = installs.installs.filter((install) => !gone.includes(install));
  return { left: { ...installs, installs: left }, gone };
}

/** In the home folder, project settings would be the user's settings for all projects. */
function refuseUserFolder(
  { scope, root, config, disk }: PlanRequest,
  command: 'init' | 'uninstall',
) {
  if (scope === 'user' || disk.real(join(root, '.claude')) !== disk.real(config)) return;
  throw new HoldfastError(
    'user_folder',
    `${config} holds your settings for all projects; this directory cannot be installed into as a project`,
    { hint: `use \`holdfast ${command} --scope user\`; nothing was changed` },
  );
}

/** Files that are installed for the project from now on no longer belong to one user's installation. */
function withoutFiles(other: Install, files: readonly string[]): Install {
  return { ...other, files: other.files.filter((path) => !files.includes(path)) };
}

function excludesOf({ excludes }: Install): string[] {
  return excludes;
}

/** Without a record: the folders that an installation may have created, innermost first. */
function foldersAround({ settings, commands, skill }: Places, config: string): string[] {
  return [commands, skill]
    .flatMap((folder) => [folder, dirname(folder)])
    .concat(dirname(settings), runtimeFolder(config), config);
}

/** The folders that have to be created, innermost first. */
function newFolders(disk: Disk, changes: readonly Change[]): string[] {
  const missing = new Set<string>();
  for (const { path, after } of changes) {
    if (after === null) continue;
    for (let folder = dirname(path); !disk.isFolder(folder); folder = dirname(folder)) {
      missing.add(folder);
    }
  }
  return innermostFirst([...missing]);
}

function innermostFirst(folders: readonly string[]): string[] {
  return [...new Set(folders)].toSorted((a, b) => b.length - a.length);
}
