import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { installsFile } from '../install/runtime-places.ts';
import { configFolder } from '../io/config-folder.ts';
import { packageFolder } from './package-folder.ts';
import { version } from './version.ts';

export function userConfig(): string {
  return configFolder(process.env, homedir());
}

/** After an update of the package, its hooks are brought up to date by the first command that is used. */
export async function keepHooksCurrent(): Promise<void> {
  if (!existsSync(installsFile(userConfig()))) return;
  const { refreshRuntime } = await import('../install/refresh.ts');
  refreshRuntime(userConfig(), packageFolder(), version);
}
