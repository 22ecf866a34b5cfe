import { dirname, join } from 'node:path';
import fse from 'fs-extra';
import { findOnPath } from '../../files/is-executable.ts';
import type { ModuleSource } from '../../install/assets.ts';
import {
  homeFolder,
  configFolder,
  hostFile,
  MODULE_FILE,
  programFile,
  runtimeFolder,
} from '../../files/environment.ts';
import { hostOf } from '../../hosts/hosts.ts';
import { hasOurs, hostFile as otherHostFile } from '../../install/other-hosts.ts';
import { refreshRuntime } from '../../install/runtime.ts';
import { version } from '../../text/version.ts';
import { switchedOff } from '../../doctor/checks/settings.ts';
import { placesIn, readClientSettings, type ClientFolders } from '../../doctor/client-settings.ts';

/** The folder that holdfast runs from, which contains bin/ and dist/. */
export const packageFolder = (): string =>
  dirname(dirname(fse.realpathSync(process.argv[1] ?? '')));

export const userConfig = (): string => configFolder(process.env, homeFolder());

export const userFile = (): string => hostFile(process.env, homeFolder());

/** What hooks, slash commands and the module start: a path only if a shell would not find the name. */
export const nodeProgram = (): string =>
  findOnPath('node', process.env['PATH']) === null ? process.execPath : 'node';

/** Null for a package without it: then `init` installs the rest. */
export function moduleSource(config: string): ModuleSource | null {
  const file = join(packageFolder(), MODULE_FILE);
  if (!fse.existsSync(file)) return null;
  return {
    version,
    code: fse.readFileSync(file, 'utf8'),
    program: [nodeProgram(), programFile(runtimeFolder(config))],
  };
}

/** After an update of the package, the first command that runs also updates the installed hooks. */
export function keepHooksCurrent(): void {
  refreshRuntime(userConfig(), packageFolder(), version);
}

/** Where the host of this shell finds our hooks; Claude Code finds the slash commands with them. */
export function placesOfHooks(folders: ClientFolders): string[] {
  const host = hostOf(process.env);
  if (host === 'claude') return placesIn(readClientSettings(folders).registrations);
  const where = { host, home: homeFolder(), environment: process.env };
  const files = [folders.root, null].map((root) => otherHostFile({ ...where, root }));
  return files.filter((file) => hasOurs(host, file));
}

/** Which settings keep all hooks from running, and what to do about it; null if none do. */
export function whatSwitchesHooksOff(folders: ClientFolders): string | null {
  const finding = switchedOff(readClientSettings(folders).files);
  return finding === null ? null : `${finding.message}: ${finding.fix}`;
}
