import { parseJson, isObject } from '../../util/json.ts';
import { namesIn } from '../../io/list-folder.ts';
import { basename, join } from 'node:path';
import { readTextFile } from '../../io/read-file.ts';
import { placesOf } from '../../install/plan/scopes.ts';
import type { DoctorContext } from '../types.ts';

const MAX_BYTES = 1_000_000;
const MAX_FOLDERS = 200;

/** A folder of skills that the client loads as the plugin holdfast. */
export interface ModuleFolder {
  scope: 'user' | 'local';
  folder: string;
}

/** In the order in which the client takes them: it loads one plugin of a name. */
export function moduleFolders({
  root,
  config,
}: Pick<DoctorContext, 'root' | 'config'>): ModuleFolder[] {
  const user = placesOf('user', root, config).skill;
  const skills = join(root, '.claude', 'skills');
  const inProject = namesIn(skills)
    .toSorted()
    .slice(0, MAX_FOLDERS)
    .map((name) => join(skills, name));
  return [
    ...(isModule(user) ? [{ scope: 'user' as const, folder: user }] : []),
    ...inProject
      .filter((folder) => folder !== user && isModule(folder) && claimsToBeHoldfast(folder))
      .map((folder) => ({ scope: 'local' as const, folder })),
  ];
}

export function readModuleFile(path: string): string | null {
  const file = readTextFile(path, MAX_BYTES);
  return file.kind === 'text' ? file.text : null;
}

/** Whether the client would load code from it; what it cannot read it does not load. */
function isModule(folder: string): boolean {
  const hooks = parsed(join(folder, 'hooks', 'hooks.json'));
  return isObject(hooks) && hooks['modules'] !== undefined;
}

function claimsToBeHoldfast(folder: string): boolean {
  const plugin = parsed(join(folder, '.claude-plugin', 'plugin.json'));
  return basename(folder) === 'holdfast' || (isObject(plugin) && plugin['name'] === 'holdfast');
}

function parsed(path: string): unknown {
  const text = readModuleFile(path);
  return text === null ? undefined : parseJson(text);
}
