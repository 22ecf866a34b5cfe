import { dirname } from 'node:path';
import fse from 'fs-extra';
import { homeFolder, configFolder, hostFile } from '../../files/environment.ts';
import { hostOf } from '../../hosts/hosts.ts';
import {
  hasOurs,
  hostFile as otherHostFile,
} from '../../install/other-hosts.ts';
import { refreshRuntime } from '../../install/runtime.ts';
import { version } from '../../text/version.ts';
import { switchedOff } from '../../doctor/checks/settings.ts';
import {
  placesIn,
  readClientSettings,
  type ClientFolders,
} from '../../doctor/client-settings.ts';

/** The folder that holdfast runs from, which contains bin/ and dist/. */
export const packageFolder = (): string =>
  dirname(dirname(fse.realpathSync(process.argv[1] ?? '')));

export const userConfig = (): string => configFolder(process.env, homeFolder());

export const userFile = (): string => hostFile(process.env, homeFolder());

/** After an update of the package, the first command that runs also updates the installed hooks. */
export function keepHooksCurrent(): void {
  refreshRuntime(userConfig(), packageFolder(), version);
}

/** Where the host of this shell finds our hooks; Claude Code finds the slash commands with them. */
export function placesOfHooks(folders: ClientFolders): string[] {
  const host = hostOf(process.env);
  if (host === 'claude')
    return placesIn(readClientSettings(folders).registrations);
  const where = { host, home: homeFolder(), environment: process.env };
  const files = [folders.root, null].map((root) =>
    otherHostFile({ ...where, root }),
  );
  return files.filter((file) => hasOurs(host, file));
}

/** Which settings keep all hooks from running, and what to do about it; null if none do. */
export function whatSwitchesHooksOff(folders: ClientFolders): string | null {
  const finding = switchedOff(readClientSettings(folders).files);
  return finding === null ? null : `${finding.message}: ${finding.fix}`;
}
