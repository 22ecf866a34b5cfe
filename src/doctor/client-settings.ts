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

const MAX_BYTES = 5_000_000;

export interface SettingsFile {
  scope: Scope;
  path: string;
  shown: string;
  /** The other folder of the project that it belongs to, which only newer clients read; else null. */
  elsewhere: string | null;
  json: unknown;
  /** Why no hook of it runs, in some clients at least. */
  defect: Finding | null;
}

/** An enabled plugin that registers our hooks, and the scope that enables it. */
export type Plugin = { name: string; scope: Scope; folder: string };

/** The plugin that reaches every user whom an installation of this scope would reach. */
export const coveringPlugin = (
  plugins: readonly Plugin[],
  scope: Scope,
): Plugin | undefined =>
  plugins.find((plugin) => scope === 'local' || plugin.scope === scope);

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

export type ClientSettings = ReturnType<typeof readClientSettings>;

/** `config`: Claude Code's folder for the user (`~/.claude`). */
export type ClientFolders = { root: string; config: string };

/** `files` are in order of precedence, the lowest first. */
export function readClientSettings(folders: ClientFolders) {
  const files = settingsFiles(folders);
  const plugins = enabledPlugins(folders.config, files);
  const registrations = [
    ...files.flatMap(({ json, shown: place, scope, path, elsewhere }) => {
      const origin = { scope, path, place, isPlugin: false, elsewhere };
      // A malformed part costs the others in some clients only, and is a finding of its own.
      return hooksOf(json, origin).filter(({ hook }) => isOurHook(hook));
    }),
    // A plugin brings no other hooks than ours.
    ...plugins.flatMap(({ name, scope, folder }) => {
      const path = join(folder, 'hooks', 'hooks.json');
      const origin = {
        scope,
        path,
        place: `plugin ${name}`,
        isPlugin: true,
        elsewhere: null,
      };
      return hooksOf(readJson(path, folder), origin);
    }),
  ];
  return { files, plugins, registrations };
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
  const inSettings = found.filter(({ isPlugin }) => !isPlugin);
  const first =
    inSettings.findLast(({ elsewhere }) => elsewhere === null) ?? inSettings[0];
  if (first !== undefined) {
    const folder =
      first.elsewhere === null
        ? ''
        : ` --cwd ${quoteForShell(first.elsewhere)}`;
    return `holdfast${folder} init --scope ${first.scope}`;
  }
  return found.length === 0
    ? 'holdfast init'
    : 'update the plugin with /plugin';
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
  const beside = foldersBeside(root).map(
    (folder) => ['local', folder] as const,
  );
  const seen = new Set<string>();
  return (
    [['user', root], ['project', root], ...beside, ['local', root]] as const
  ).flatMap(([scope, folder]) => {
    const elsewhere = folder === root ? null : folder;
    const path = placesOf(scope, folder, config).settings;
    const isNew = !seen.has(realPath(path));
    seen.add(realPath(path));
    const shown = isInside(root, path)
      ? relative(root, path).split(sep).join('/')
      : path;
    return isNew
      ? [{ scope, path, shown, elsewhere, ...readSettingsFile(path, shown) }]
      : [];
  });
}

function readSettingsFile(
  path: string,
  shown: string,
): Pick<SettingsFile, 'json' | 'defect'> {
  const file = readTextFile(path, MAX_BYTES);
  if (
    file.kind === 'absent' ||
    (file.kind === 'text' && file.text.trim() === '')
  )
    return { json: undefined, defect: null };
  if (file.kind === 'refused') {
    const fix = `make ${shown} a file that you may read, of at most 5 MB`;
    return {
      json: undefined,
      defect: broken(`${shown} cannot be read: ${file.why}`, fix),
    };
  }
  const problem = strictJsonProblem(file.text);
  if (problem === null) {
    const json: unknown = JSON.parse(file.text);
    const part = misshapenPart(json);
    const fix = `correct it: {"hooks": {"<event>": [{"matcher": "", "hooks": [{"type": "command", "command": "…"}]}]}}`;
    const message = `${shown}: ${part} is not in the format that Claude Code expects`;
    return { json, defect: part === null ? null : broken(message, fix) };
  }
  return {
    json: undefined,
    defect: broken(
      `${shown} is not strict JSON, so Claude Code ignores the whole file`,
      `correct line ${problem.line} of ${shown} by hand`,
      [`${shown}:${problem.line}: ${problem.why}`],
    ),
  };
}

const hooksOf = (
  json: unknown,
  origin: Omit<Registration, keyof HookPlace>,
): Registration[] =>
  placesOfHooks(json).flatMap(({ event, matcher, hook }) =>
    isObject(hook) ? [{ ...origin, event, matcher, hook }] : [],
  );

function enabledPlugins(
  config: string,
  files: readonly SettingsFile[],
): Plugin[] {
  const list = readJson(join(config, 'plugins', 'installed_plugins.json'));
  const installed =
    isObject(list) && isObject(list['plugins']) ? list['plugins'] : {};
  return Object.entries(installed).flatMap(([name, entry]) => {
    // The client stores one entry or a list.
    const last: unknown = Array.isArray(entry) ? entry.at(-1) : entry;
    const folder = isObject(last) ? last['installPath'] : undefined;
    const switches = files.flatMap((file) => {
      const all = settingIn(file, 'enabledPlugins');
      return isObject(all) && name in all
        ? [{ scope: file.scope, isOn: all[name] === true }]
        : [];
    });
    // Of several settings that switch a plugin on or off, the last decides.
    const { scope, isOn } = switches.at(-1) ?? {};
    const isOurs = /^holdfast(?:@|$)/.test(name) && isOn === true;
    if (!isOurs || scope === undefined || typeof folder !== 'string') return [];
    return [{ name, scope, folder }];
  });
}

/** The client cannot read a file that is not JSON either. It puts the folder of a plugin in the place of a variable. */
function readJson(path: string, pluginFolder = PLUGIN_ROOT): unknown {
  const file = readTextFile(path, MAX_BYTES);
  if (file.kind !== 'text') return undefined;
  const folder = JSON.stringify(pluginFolder).slice(1, -1);
  return parseJson(file.text.replaceAll(PLUGIN_ROOT, () => folder));
}
