import { enabledPlugins, type Plugin } from '../doctor/host/plugin.ts';
import { policyFilesIn, policyFolderOf } from '../doctor/host/policy-files.ts';
import { readSettingsFiles } from '../doctor/host/settings-files.ts';
import type { Scope } from '../install/plan/scopes.ts';

/** Whose plugin serves everybody whom an installation of this scope would serve. */
const SERVED_BY: Record<Scope, readonly Plugin['scope'][]> = {
  local: ['local', 'project', 'user', 'policy'],
  project: ['project', 'policy'],
  user: ['user', 'policy'],
};

export interface PluginHere {
  name: string;
  /** It does for this scope what `init` would do. */
  isEnough: boolean;
}

/** The holdfast that Claude Code has as a plugin in this project. */
export function pluginHere(root: string, config: string, scope: Scope): PluginHere | null {
  const policyFiles = policyFilesIn(policyFolderOf(process.platform));
  const plugins = enabledPlugins(config, readSettingsFiles({ root, config, policyFiles }));
  const enough = plugins.find((plugin) => SERVED_BY[scope].includes(plugin.scope));
  const [first] = enough === undefined ? plugins : [enough];
  return first === undefined ? null : { name: first.name, isEnough: first === enough };
}
