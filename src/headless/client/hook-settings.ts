import { realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { readClientSettings } from '../../doctor/client-settings.ts';
import { commandFor, shelllessCommand, type HookCommand } from '../../install/plan/hook-command.ts';
import { hookEntries, isSameHook } from '../../install/plan/hook-entry.ts';
import { withHooks } from '../../install/plan/settings-hooks.ts';
import { isExecutable } from '../../io/is-executable.ts';
import { hookFile, scriptFile } from '../../io/runtime-paths.ts';
import type { Environment } from './environment.ts';

export interface HookPlace {
  root: string;
  config: string;
  /** The package that runs now, and the absolute path of its Node. */
  packageFolder: string;
  node: string;
  /** That of the client. */
  environment: Environment;
  /** Whether edits wait until required files were read. */
  isBlocking: boolean;
}

/** Settings with the hooks that are not installed for this project; null if all are, so that none runs twice. */
export function hookSettings(place: HookPlace): string | null {
  // Only newer clients read the settings of another folder of the project.
  const installed = readClientSettings(place).registrations.filter(
    ({ elsewhere }) => elsewhere === null,
  );
  const missing = hookEntries(commandOf(place), place.isBlocking).filter(
    (entry) => !installed.some((hook) => isSameHook(hook, entry)),
  );
  return missing.length === 0 ? null : JSON.stringify(JSON.parse(withHooks('{}', missing)));
}

/** The script starts the `node` of the PATH, which may be any; never on Windows, where that has another name. */
function commandOf({ packageFolder, node, environment }: HookPlace): HookCommand {
  return isFirstNode(node, environment['PATH'] ?? '')
    ? commandFor(scriptFile(packageFolder))
    : shelllessCommand(hookFile(packageFolder), node);
}

/** A relative folder may have another one wherever the client goes, so none may come before it. */
function isFirstNode(node: string, search: string): boolean {
  for (const folder of search.split(delimiter)) {
    if (!isAbsolute(folder)) return false;
    const found = join(folder, 'node');
    if (isExecutable(found)) return realpathSync(found) === realpathSync(node);
  }
  return false;
}
