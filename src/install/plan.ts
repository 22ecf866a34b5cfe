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
import { placesOf, serverPlaceOf } from './places.ts';
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
  const { server, ...servers } = addServer(draft, request, former);
  const added = server === undefined ? {} : { server };
  const install: Install = {
    scope,
    root,
    files,
    excludes,
    ...settings,
    ...added,
  };
  const { changes } = draft;
  const folders = newFolders(changes);
  return {
    changes,
    left: [...left, ...servers.left],
    folders,
    record: {
      ...record,
      folders: unique([
        ...record.folders.filter(isFolder),
        ...folders,
        ...made,
      ]),
      containers: unique([...record.containers, ...servers.containers]),
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
  const { commands, skill, settings } = places;
  const inside = [
    join(skill, '.claude-plugin'),
    join(skill, 'hooks'),
    skill,
    commands,
  ];
  // Without a record: the folders that the installation that was found may have created.
  const made = [skill, commands, settings].map((path) => dirname(path));
  const around =
    draft.changes.length === 0 ? [] : [...made, runtimeFolder(config), config];
  return {
    changes: draft.changes,
    left,
    folders: innermostFirst([
      ...inside,
      ...record.folders,
      ...(former === undefined ? around : []),
    ]),
    record: { ...record, installs: others },
  };
}

/** Those of projects that were deleted or moved are left out. */
const othersThan = (
  former: Install | undefined,
  { installs }: InstallRecord,
): Install[] =>
  installs.filter(
    (install) =>
      install !== former &&
      (install.root === null || fse.existsSync(install.root)),
  );

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
) {
  const files = install.files.filter(
    ({ path }) => !taken.some((file) => file.path === path),
  );
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
  for (const { path } of changes.filter(({ after }) => after !== null))
    for (
      let folder = dirname(path);
      !isFolder(folder);
      folder = dirname(folder)
    )
      missing.push(folder);
  return innermostFirst(missing);
}

const innermostFirst = (folders: readonly string[]): string[] =>
  unique(folders).toSorted((a, b) => b.length - a.length);

const unique = (values: readonly string[]): string[] => [...new Set(values)];
