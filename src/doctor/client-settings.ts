import { join, relative, sep } from 'node:path';
import { isOurHook, PLUGIN_ROOT } from '../install/host-commands.ts';
import { placesOf, type Scope } from '../install/places.ts';
import {
  misshapenPart,
  placesOfHooks,
  type HookPlace,
} from '../install/hooks.ts';
import { repositoryOf } from '../files/git.ts';
import { readTextFile } from '../files/read-file.ts';
import { isInside, realPath } from '../files/environment.ts';
import { isObject, parseJson, type JsonObject } from '../text/json.ts';
import { strictJsonProblem } from '../text/strict-json.ts';
import { broken, quoteForShell, type Finding } from './finding.ts';

/** A version of Claude Code that was tested; it reads more settings than the tested 2.1.197. */
export const NEWER_CLIENT = '2.1.325';

/** Settings that people write are far smaller. */
const MAX_BYTES = 5_000_000;

/** A settings file of the client. */
export interface SettingsFile {
  scope: Scope;
  path: string;
  /** The path to display. */
  shown: string;
  /** The other folder of the project that it belongs to, which only newer clients read; else null. */
  elsewhere: string | null;
  /** Undefined if there is nothing usable in it. */
  json: unknown;
  /** Why no hook of it runs, in some clients at least. */
  defect: Finding | null;
}

/** An enabled plugin that registers our hooks. */
export interface Plugin {
  name: string;
  /** The scope that enables it. */
  scope: Scope;
  folder: string;
}

/** The plugin that reaches every user whom an installation of this scope would reach. */
export function coveringPlugin(
  plugins: readonly Plugin[],
  scope: Scope,
): Plugin | undefined {
  return plugins.find((plugin) => scope === 'local' || plugin.scope === scope);
}

/** One of our hooks as the client finds it. */
export interface Registration extends Pick<
  SettingsFile,
  'scope' | 'path' | 'elsewhere'
> {
  /** The settings file, or the plugin. */
  place: string;
  isPlugin: boolean;
  event: string;
  matcher: string;
  hook: JsonObject;
}

export interface ClientSettings {
  /** In order of precedence, the lowest first. */
  files: SettingsFile[];
  plugins: Plugin[];
  registrations: Registration[];
}

export interface ClientFolders {
  root: string;
  /** Claude Code's folder for the user (`~/.claude`). */
  config: string;
}

export function readClientSettings(folders: ClientFolders): ClientSettings {
  const files = settingsFiles(folders);
  const plugins = enabledPlugins(folders.config, files);
  const registrations = [
    ...files.flatMap(hooksOfFile),
    ...plugins.flatMap(hooksOfPlugin),
  ];
  return { files, plugins, registrations };
}

function hooksOfFile(file: SettingsFile): Registration[] {
  const { json, shown, scope, path, elsewhere } = file;
  const origin = { scope, path, place: shown, isPlugin: false, elsewhere };
  // A malformed part costs the others in some clients only, and is a finding of its own.
  return hooksIn(json, origin).filter(({ hook }) => isOurHook(hook));
}

/** A plugin brings no other hooks than ours. */
function hooksOfPlugin({ name, scope, folder }: Plugin): Registration[] {
  const path = join(folder, 'hooks', 'hooks.json');
  const place = `plugin ${name}`;
  const origin = { scope, path, place, isPlugin: true, elsewhere: null };
  return hooksIn(readJson(path, folder), origin);
}

function hooksIn(
  json: unknown,
  origin: Omit<Registration, keyof HookPlace>,
): Registration[] {
  const found: Registration[] = [];
  for (const { event, matcher, hook } of placesOfHooks(json))
    if (isObject(hook)) found.push({ ...origin, event, matcher, hook });
  return found;
}

export const settingIn = ({ json }: SettingsFile, key: string): unknown =>
  isObject(json) ? json[key] : undefined;

/** The files of which the client may run no hook. */
export const ignoredFiles = (files: readonly SettingsFile[]): string[] =>
  files
    .filter(({ defect, elsewhere }) => defect !== null && elsewhere === null)
    .map(({ shown }) => shown);

export const placesIn = (found: readonly Registration[]): string[] => [
  ...new Set(found.map(({ place }) => place)),
];

/** The command that updates these hooks; if they are registered in several places, one is enough. */
export function fixCommandFor(found: readonly Registration[]): string {
  if (found.length === 0) return 'holdfast init';
  const inSettings = found.filter(({ isPlugin }) => !isPlugin);
  const here = inSettings.findLast(({ elsewhere }) => elsewhere === null);
  if (here !== undefined) return `holdfast init --scope ${here.scope}`;

  const [first] = inSettings;
  if (first === undefined) return 'update the plugin with /plugin';
  const folder = quoteForShell(first.elsewhere ?? '');
  return `holdfast --cwd ${folder} init --scope ${first.scope}`;
}

/** Other folders of the project: the top of its repository, and the main worktree. */
export function foldersBeside(root: string): string[] {
  const repository = repositoryOf(root);
  if (repository === undefined) return [];
  const { top, mainCheckout } = repository;
  return [...new Set([top, mainCheckout ?? top])].filter(
    (folder) => folder !== root,
  );
}

/** Each file once: in the home folder, the project's settings are the user's. */
function settingsFiles({ root, config }: ClientFolders): SettingsFile[] {
  const places: { scope: Scope; folder: string }[] = [
    { scope: 'user', folder: root },
    { scope: 'project', folder: root },
  ];
  for (const folder of foldersBeside(root))
    places.push({ scope: 'local', folder });
  places.push({ scope: 'local', folder: root });

  const seen = new Set<string>();
  const files: SettingsFile[] = [];
  for (const { scope, folder } of places) {
    const path = placesOf(scope, folder, config).settings;
    if (seen.has(realPath(path))) continue;
    seen.add(realPath(path));
    const shown = isInside(root, path)
      ? relative(root, path).split(sep).join('/')
      : path;
    const elsewhere = folder === root ? null : folder;
    files.push({
      scope,
      path,
      shown,
      elsewhere,
      ...readSettingsFile(path, shown),
    });
  }
  return files;
}

function readSettingsFile(
  path: string,
  shown: string,
): Pick<SettingsFile, 'json' | 'defect'> {
  const file = readTextFile(path, MAX_BYTES);
  if (file.kind === 'absent') return { json: undefined, defect: null };
  if (file.kind === 'refused') {
    const message = `${shown} cannot be read: ${file.why}`;
    const fix = `make ${shown} a file that you may read, of at most 5 MB`;
    return { json: undefined, defect: broken(message, fix) };
  }
  if (file.text.trim() === '') return { json: undefined, defect: null };

  const problem = strictJsonProblem(file.text);
  if (problem !== null) {
    const message = `${shown} is not strict JSON, so Claude Code ignores the whole file`;
    const fix = `correct line ${problem.line} of ${shown} by hand`;
    const evidence = [`${shown}:${problem.line}: ${problem.why}`];
    return { json: undefined, defect: broken(message, fix, evidence) };
  }

  const json: unknown = JSON.parse(file.text);
  const part = misshapenPart(json);
  if (part === null) return { json, defect: null };
  const message = `${shown}: ${part} is not in the format that Claude Code expects`;
  const fix = `correct it: {"hooks": {"<event>": [{"matcher": "", "hooks": [{"type": "command", "command": "…"}]}]}}`;
  return { json, defect: broken(message, fix) };
}

function enabledPlugins(
  config: string,
  files: readonly SettingsFile[],
): Plugin[] {
  const list = readJson(join(config, 'plugins', 'installed_plugins.json'));
  if (!isObject(list) || !isObject(list['plugins'])) return [];

  const plugins: Plugin[] = [];
  for (const [name, entry] of Object.entries(list['plugins'])) {
    // `holdfast@<marketplace>`
    if (!/^holdfast(?:@|$)/.test(name)) continue;
    // The client stores one entry or a list.
    const last: unknown = Array.isArray(entry) ? entry.at(-1) : entry;
    const folder = isObject(last) ? last['installPath'] : undefined;
    const scope = enablingScope(name, files);
    if (scope === null || typeof folder !== 'string') continue;
    plugins.push({ name, scope, folder });
  }
  return plugins;
}

/** Of several settings that switch a plugin on or off, the last decides; null if the plugin is off. */
function enablingScope(
  name: string,
  files: readonly SettingsFile[],
): Scope | null {
  const decisive = files.findLast(
    (file) => switchesOf(file)[name] !== undefined,
  );
  if (decisive === undefined) return null;
  return switchesOf(decisive)[name] === true ? decisive.scope : null;
}

/** `{"holdfast@<marketplace>": true}` */
function switchesOf(file: SettingsFile): JsonObject {
  const switches = settingIn(file, 'enabledPlugins');
  return isObject(switches) ? switches : {};
}

/** The client cannot read a file that is not JSON either. It puts the folder of a plugin in the place of a variable. */
function readJson(path: string, pluginFolder = PLUGIN_ROOT): unknown {
  const file = readTextFile(path, MAX_BYTES);
  if (file.kind !== 'text') return undefined;
  const folder = JSON.stringify(pluginFolder).slice(1, -1);
  return parseJson(file.text.replaceAll(PLUGIN_ROOT, () => folder));
}
