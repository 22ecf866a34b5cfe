import { dirname, join } from 'node:path';
import fse from 'fs-extra';
import { HoldfastError } from '../text/holdfast-error.ts';
import { realPath, runtimeFolder } from '../files/environment.ts';
import { isFolder } from '../files/read-file.ts';
import {
  Draft,
  type Change,
  type InitRequest,
  type Plan,
  type PlanRequest,
} from './draft.ts';
import { excludesFor, planExcludes } from './excludes.ts';
import { addFiles, removeFiles } from './own-files.ts';
import { placesOf, serverPlaceOf, type Places } from './places.ts';
import { findInstall, type Install, type InstallRecord } from './record.ts';
import { addServer, removeServer } from './server.ts';
import { addToSettings, removeFromSettings } from './settings.ts';

/** What `init` would change. The settings come after what they start. */
export function planInit(request: InitRequest): Plan {
  refuseUserFolder(request, 'init');
  const { scope, config, record, made } = request;
  const root = scope === 'user' ? null : request.root;
  const former = findInstall(record, scope, request.root);
  const draft = new Draft();
  const { files, left } = addFiles(draft, request, former);

  const excludes = excludesFor({ scope, root, files }, config);
  // Files that are installed for the project from now on no longer belong to one user's installation.
  const others = othersThan(former, record).map((install) =>
    withoutFiles(install, files, config),
  );
  const affected = record.installs.filter((other) => other.root === root);
  planExcludes(
    draft,
    [...excludes, ...affected.flatMap(excludesOf)],
    [...excludes, ...others.flatMap(excludesOf)],
  );

  const settings = addToSettings(draft, request, former);
  const added = addServer(draft, request, former);

  const install: Install = { scope, root, files, excludes, ...settings };
  if (added.server !== undefined) install.server = added.server;

  const { changes } = draft;
  const folders = newFolders(changes);
  const present = record.folders.filter(isFolder);
  return {
    changes,
    left: [...left, ...added.left],
    folders,
    record: {
      ...record,
      folders: unique([...present, ...folders, ...made]),
      containers: unique([...record.containers, ...added.containers]),
      installs: [...others, install],
    },
  };
}

/** What `uninstall` would change. What a local installation shared with the project's, another `init` of it writes again. */
export function planUninstall(request: PlanRequest): Plan {
  const { scope, root, config, record, hostFile } = request;
  if (scope === 'project') refuseUserFolder(request, 'uninstall');
  const former = findInstall(record, scope, root);
  const others = othersThan(former, record);
  const places = placesOf(scope, root, config);
  const draft = new Draft();
  removeFromSettings(draft, request, former);
  const left = removeFiles(draft, request, former);

  const written = former?.files ?? [
    { path: join(places.skill, 'SKILL.md'), written: '' },
  ];
  const own =
    former?.excludes ?? excludesFor({ scope, root, files: written }, config);
  planExcludes(draft, own, others.flatMap(excludesOf));

  const server = former?.server ?? serverPlaceOf(scope, root, hostFile);
  removeServer(draft, request, server, former !== undefined);

  const { changes } = draft;
  const folders = [...ownFolders(places), ...record.folders];
  const isUnrecorded = former === undefined && changes.length > 0;
  if (isUnrecorded) folders.push(...foldersAround(places, config));
  return {
    changes,
    left,
    folders: innermostFirst(folders),
    record: { ...record, installs: others },
  };
}

const ownFolders = ({ skill, commands }: Places): string[] => [
  join(skill, '.claude-plugin'),
  join(skill, 'hooks'),
  skill,
  commands,
];

/** The folders that an installation without a record may have created. */
const foldersAround = (places: Places, config: string): string[] => [
  dirname(places.skill),
  dirname(places.commands),
  dirname(places.settings),
  runtimeFolder(config),
  config,
];

/** Those of projects that were deleted or moved are left out. */
function othersThan(
  former: Install | undefined,
  { installs }: InstallRecord,
): Install[] {
  const exists = ({ root }: Install): boolean =>
    root === null || fse.existsSync(root);
  return installs.filter((install) => install !== former && exists(install));
}

/** In the home folder, project settings would be the user's settings for all projects. */
function refuseUserFolder(
  { scope, root, config }: PlanRequest,
  command: string,
): void {
  if (scope === 'user' || realPath(join(root, '.claude')) !== realPath(config))
    return;
  throw new HoldfastError(
    'user_folder',
    `${config} holds your settings for all projects; this directory cannot be installed into as a project`,
    { hint: `use \`holdfast ${command} --scope user\`; nothing was changed` },
  );
}

function withoutFiles(
  install: Install,
  taken: readonly { path: string }[],
  config: string,
): Install {
  const takenPaths = new Set(taken.map(({ path }) => path));
  const files = install.files.filter(({ path }) => !takenPaths.has(path));
  if (files.length === install.files.length) return install;
  return {
    ...install,
    files,
    excludes: excludesFor({ ...install, files }, config),
  };
}

const excludesOf = ({ excludes }: Install): Install['excludes'] => excludes;

/** The folders that have to be created, innermost first. */
export function newFolders(changes: readonly Change[]): string[] {
  const missing: string[] = [];
  for (const { path, after } of changes) {
    if (after === null) continue;
    let folder = dirname(path);
    while (!isFolder(folder)) {
      missing.push(folder);
      folder = dirname(folder);
    }
  }
  return innermostFirst(missing);
}

const innermostFirst = (folders: readonly string[]): string[] =>
  unique(folders).toSorted((a, b) => b.length - a.length);

const unique = (values: readonly string[]): string[] => [...new Set(values)];
