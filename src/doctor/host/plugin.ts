import { parseJson, isObject } from '../../util/json.ts';
import { join } from 'node:path';
import { PLUGIN_ROOT } from '../../install/plan/hook-command.ts';
import { readTextFile } from '../../io/read-file.ts';
import { byWeight, type SettingsFile } from './settings-files.ts';

const MAX_BYTES = 5_000_000;

/** An enabled plugin that registers our hooks. */
export interface Plugin {
  name: string;
  /** The scope of the settings that enable it. */
  scope: SettingsFile['scope'];
  folder: string;
  /** The file with its hooks. */
  path: string;
  hooks: unknown;
}

export function enabledPlugins(config: string, files: readonly SettingsFile[]): Plugin[] {
  const listed = installed(config);
  return [...switches(files)].flatMap(([name, { scope, isOn }]) => {
    const folder = listed.get(name);
    return isOn && folder !== undefined && /^holdfast(?:@|$)/.test(name)
      ? [{ name, scope, folder, ...hooksIn(folder) }]
      : [];
  });
}

interface Switch {
  scope: SettingsFile['scope'];
  isOn: boolean;
}

function switches(files: readonly SettingsFile[]): Map<string, Switch> {
  const found = new Map<string, Switch>();
  for (const { scope, reading } of byWeight(files)) {
    const { enabledPlugins: switched } =
      reading.kind === 'json' && isObject(reading.json) ? reading.json : {};
    for (const [name, value] of Object.entries(isObject(switched) ? switched : {}))
      found.set(name, { scope, isOn: value === true });
  }
  return found;
}

/** Plugin name → folder of the newest entry. The client stores one entry or a list. */
function installed(config: string): Map<string, string> {
  const json = readJson(join(config, 'plugins', 'installed_plugins.json'));
  const { plugins } = isObject(json) ? json : {};
  const entries = Object.entries(isObject(plugins) ? plugins : {});
  return new Map(
    entries.flatMap(([name, entry]): [string, string][] => {
      const last: unknown = Array.isArray(entry) ? entry.at(-1) : entry;
      return isObject(last) && typeof last['installPath'] === 'string'
        ? [[name, last['installPath']]]
        : [];
    }),
  );
}

function hooksIn(folder: string): Pick<Plugin, 'path' | 'hooks'> {
  const path = join(folder, 'hooks', 'hooks.json');
  return { path, hooks: substituted(readJson(path), folder) };
}

function substituted(value: unknown, folder: string): unknown {
  if (typeof value === 'string') return value.replaceAll(PLUGIN_ROOT, () => folder);
  if (Array.isArray(value)) return value.map((item) => substituted(item, folder));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, substituted(item, folder)]),
  );
}

function readJson(path: string): unknown {
  const file = readTextFile(path, MAX_BYTES);
  // The client cannot read a file that is not JSON either, so that enables no plugin.
  return file.kind === 'text' ? parseJson(file.text) : undefined;
}
