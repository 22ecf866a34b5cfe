import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { homeFolder } from '../io/home-folder.ts';
import { isRuntimeOutdated } from '../install/runtime/outdated.ts';
import { runtimeFolder, installsFile } from '../io/runtime-paths.ts';
import { configFolder, hostFile } from '../io/config-folder.ts';
import type { CommandContext } from './context.ts';
import { version } from './version.ts';

/** The folder that holdfast runs from, which contains bin/ and dist/. */
export function packageFolder(): string {
  return dirname(dirname(realpathSync(process.argv[1] ?? '')));
}

export function userConfig(): string {
  return configFolder(process.env, homeFolder());
}

export function userFile(): string {
  return hostFile(process.env, homeFolder());
}

export function warnAboutRecords(
  cli: CommandContext,
  config: string,
  damaged: readonly string[],
): void {
  if (damaged.length === 0) return;
  cli.output.warn(
    `a record of installations is damaged, so other installations are unknown and ${runtimeFolder(config)} is kept. Run \`holdfast init\` again wherever you use holdfast, then delete ${installsFile(config)}.damaged-*`,
  );
}

/** After an update of the package, the first command that runs also updates the installed hooks. */
export async function keepHooksCurrent(): Promise<void> {
  const config = userConfig();
  if (!isRuntimeOutdated(config, packageFolder(), version)) return;
  const { refreshRuntime } = await import('../install/runtime/refresh.ts');
  refreshRuntime(config, packageFolder(), version);
}
