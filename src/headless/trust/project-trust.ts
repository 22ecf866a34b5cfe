import { dirname, join, relative } from 'node:path';
import { reasonNotToRun } from '../../doctor/safe-to-run.ts';
import { isOurHook } from '../../install/plan/hook-command.ts';
import { placesOfHooks } from '../../install/plan/settings-hooks.ts';
import { placesOf } from '../../install/plan/scopes.ts';
import { isOurServer } from '../../install/plan/server-entry.ts';
import { readTextFile } from '../../io/read-file.ts';
import { MODULE_FILE } from '../../io/runtime-paths.ts';
import { isObject, parseJson } from '../../util/json.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import { claudeFolders, foldersAbove } from './claude-folders.ts';
import { entriesIn } from '../../io/folder-entries.ts';
import { frontMatterPrograms } from './front-matter-programs.ts';

const MAX_BYTES = 5_000_000;
/** Far more than anybody has; each of them costs two reads. */
const MAX_SKILLS = 2_000;

/**
 * What the project brings that the client would run without asking, as the user would look for it. Our own hooks,
 * server and module are not among it.
 */
export function foreignPrograms(places: ProjectPlaces): string[] {
  const { root, config } = places;
  const { folders, isIncomplete } = claudeFolders(places);
  return [
    ...(['project', 'local'] as const).flatMap((scope) =>
      programsInSettings(places, placesOf(scope, root, config).settings),
    ),
    ...[root, ...foldersAbove(root)].flatMap((folder) => serversIn(places, folder)),
    ...folders.flatMap((folder) => programsInFolder(places, folder)),
    ...(isIncomplete ? ['more folders than can be checked'] : []),
  ];
}

export interface ProjectPlaces {
  root: string;
  config: string;
  packageFolder: string;
}

/** Whether the user has accepted the question of the client for this folder or one above it. */
export function isTrustedFolder(root: string, hostFile: string): boolean {
  const json = readJson(hostFile);
  const projects = isObject(json) ? json['projects'] : undefined;
  if (!isObject(projects)) return false;
  for (let folder = root; ; folder = dirname(folder)) {
    const entry = Object.hasOwn(projects, folder) ? projects[folder] : undefined;
    if (isObject(entry) && entry['hasTrustDialogAccepted'] === true) return true;
    if (dirname(folder) === folder) return false;
  }
}

/** Settings by which the client runs a command, beside hooks. */
const COMMAND_SETTINGS = [
  'apiKeyHelper',
  'awsAuthRefresh',
  'awsCredentialExport',
  'otelHeadersHelper',
];

/** Variables by which programs that the client starts run others, or by which the user's login goes elsewhere. */
const RISKY_VARIABLE =
  /^(?:PATH|HOME|SHELL|ENV|BASH_ENV|ZDOTDIR|PROMPT_COMMAND|EDITOR|VISUAL|PAGER|JAVA_TOOL_OPTIONS|CLAUDE_CONFIG_DIR|CLAUDE_ENV_FILE|CLAUDE_CODE_SHELL\w*|(?:NODE|LD|DYLD|GIT|SSH|XDG|PYTHON|PERL5|RUBY|NPM_CONFIG)\w*|ANTHROPIC_\w*(?:URL|KEY|TOKEN|HEADERS)|\w*_PROXY)$/i;

function programsInSettings(places: ProjectPlaces, path: string): string[] {
  const shown = path.slice(places.root.length + 1);
  const json = readJson(path);
  if (json === UNREADABLE) return [unreadable(shown)];
  if (!isObject(json)) return [];
  const foreign = placesOfHooks(json).filter(({ hook }) => !isOwnHook(hook, places));
  const events = [...new Set(foreign.map(({ event }) => sanitizeLine(event)))];
  const plugins = isObject(json['enabledPlugins'])
    ? Object.entries(json['enabledPlugins']).filter(
        ([name, isOn]) => isOn === true && !isOurs(name),
      )
    : [];
  const variables = Object.keys(isObject(json['env']) ? json['env'] : {}).filter((name) =>
    RISKY_VARIABLE.test(name),
  );
  return [
    ...(variables.length === 0
      ? []
      : [`${variables.map(sanitizeLine).join(', ')} for every program in ${shown}`]),
    ...(events.length === 0 ? [] : [`hooks for ${events.join(', ')} in ${shown}`]),
    ...plugins.map(([name]) => `the plugin ${sanitizeLine(name)} in ${shown}`),
    ...COMMAND_SETTINGS.filter((key) => typeof json[key] === 'string').map(
      (key) => `${key} in ${shown}`,
    ),
  ];
}

function serversIn(places: ProjectPlaces, folder: string): string[] {
  const path = join(folder, '.mcp.json');
  const shown = relative(places.root, path);
  const json = readJson(path);
  if (json === UNREADABLE) return [unreadable(shown)];
  const servers = isObject(json) && isObject(json['mcpServers']) ? json['mcpServers'] : {};
  return Object.entries(servers)
    .filter(([, server]) => !isOwnServer(server, places))
    .map(([name]) => `the MCP server ${sanitizeLine(name)} in ${shown}`);
}

function programsInFolder(places: ProjectPlaces, claudeFolder: string): string[] {
  const names = entriesIn(join(claudeFolder, 'skills'))
    .map(({ name }) => name)
    .toSorted();
  const shown = sanitizeLine(relative(places.root, claudeFolder));
  if (names.length > MAX_SKILLS) return [`more than ${MAX_SKILLS} skills in ${shown}/skills`];
  return [
    ...pluginsIn(places, claudeFolder, names),
    ...frontMatterPrograms(places.root, claudeFolder, names),
  ];
}

/** A folder of skills with hooks or a module is loaded as a plugin. */
function pluginsIn(
  { root, packageFolder }: ProjectPlaces,
  claudeFolder: string,
  names: readonly string[],
): string[] {
  const skills = join(claudeFolder, 'skills');
  return names.flatMap((name) => {
    const hooks = readJson(join(skills, name, 'hooks', 'hooks.json'));
    const servers = readJson(join(skills, name, '.mcp.json'));
    const place = sanitizeLine(relative(root, join(skills, name)));
    if (hooks === UNREADABLE || servers === UNREADABLE) return [unreadable(place)];
    const isOwn = isOwnModule(join(skills, name), packageFolder);
    return [
      ...(isObject(hooks) && hooks['modules'] !== undefined && !isOwn
        ? [`the module in ${place}`]
        : []),
      ...(placesOfHooks(hooks).length > 0 ? [`hooks in ${place}`] : []),
      ...(isObject(servers) ? [`MCP servers in ${place}`] : []),
    ];
  });
}

function isOurs(plugin: string): boolean {
  return /^holdfast(?:@|$)/.test(plugin);
}

/** A hook that looks like ours may still run a file of the project. */
function isOwnHook(hook: unknown, places: ProjectPlaces): boolean {
  return isOurHook(hook) && reasonNotToRun(hook, places) === null;
}

function isOwnServer(server: unknown, places: ProjectPlaces): boolean {
  return isObject(server) && isOurServer(server) && reasonNotToRun(server, places) === null;
}

/** The client runs the module of this folder: it has to be this version's, byte by byte. */
function isOwnModule(folder: string, packageFolder: string): boolean {
  const [theirs, ours] = [join(folder, 'hooks', 'register.js'), join(packageFolder, MODULE_FILE)]
    .map((path) => readTextFile(path, MAX_BYTES))
    .map((file) => (file.kind === 'text' ? file.text : null));
  return theirs !== null && theirs !== undefined && theirs === ours;
}

/** The client might read what we refuse to: too large, binary, or a link to somewhere else. */
const UNREADABLE = Symbol('unreadable');

function unreadable(place: string): string {
  return `${place}, which cannot be checked`;
}

function readJson(path: string): unknown {
  const file = readTextFile(path, MAX_BYTES);
  if (file.kind === 'absent') return undefined;
  if (file.kind !== 'text') return UNREADABLE;
  // If it is not JSON, the client cannot read it either, so it runs nothing of it.
  return parseJson(file.text);
}
