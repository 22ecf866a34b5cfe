import { enabledPlugins, type Plugin } from '../doctor/host/plugin.ts';
import { readSettingsFiles } from '../doctor/host/settings-files.ts';
import type { Scope } from '../install/plan/scopes.ts';

/** The plugin scopes that reach every user whom an installation of this scope would reach. */
const COVERED_BY: Record<Scope, readonly Plugin['scope'][]> = {
  local: ['local', 'project', 'user'],
  project: ['project'],
  user: ['user'],
};

export interface InstalledPlugin {
  name: string;
  /** Whether it makes `init` for this scope unnecessary. */
  coversScope: boolean;
}

/** The holdfast plugin that Claude Code has enabled in this project. */
export function installedPlugin(
  root: string,
  config: string,
  scope: Scope,
): InstalledPlugin | null {
  const plugins = enabledPlugins(config, readSettingsFiles({ root, config }));
  const covering = plugins.find((plugin) => COVERED_BY[scope].includes(plugin.scope));
  const [first] = covering === undefined ? plugins : [covering];
  return first === undefined ? null : { name: first.name, coversScope: first === covering };
}
