import { isOurHook } from '../install/hook-entry.ts';
import { misshapenPart, placesOfHooks } from '../install/settings-hooks.ts';
import type { JsonObject } from '../state/json.ts';
import { enabledPlugins } from './plugin.ts';
import { readSettingsFiles, type SettingsFile } from './settings-files.ts';
import type { Examined } from './types.ts';

/** One of our hooks as the host finds it. */
export interface Registration {
  /** For a plugin's: the scope that switches the plugin on. */
  scope: SettingsFile['scope'];
  /** The settings file, or the plugin. */
  place: string;
  isPlugin: boolean;
  event: string;
  matcher: string;
  hook: JsonObject;
  /** When its file was last written: what happened before tells nothing about it. */
  since: number;
}

export function registrationsIn(
  examined: Pick<Examined, 'root' | 'config' | 'policyFiles'>,
): Registration[] {
  const files = readSettingsFiles(examined);
  const fromFiles = files.flatMap(({ scope, shown, reading }) =>
    reading.kind === 'json' && misshapenPart(reading.json) === null
      ? ours(reading.json, {
          scope,
          place: shown,
          isPlugin: false,
          since: reading.modifiedAt,
        })
      : [],
  );
  const fromPlugins = enabledPlugins(examined.config, files).flatMap((plugin) =>
    ours(plugin.hooks, {
      scope: plugin.scope,
      place: `plugin ${plugin.name}`,
      isPlugin: true,
      since: plugin.since,
    }),
  );
  return [...fromFiles, ...fromPlugins];
}

function ours(
  json: unknown,
  origin: Pick<Registration, 'scope' | 'place' | 'isPlugin' | 'since'>,
): Registration[] {
  return placesOfHooks(json).flatMap(({ event, matcher, hook }) =>
    isOurHook(hook) ? [{ ...origin, event, matcher, hook }] : [],
  );
}

/** The command as the host writes it into its records. */
export function commandLine({ command, args }: JsonObject): string {
  const words = Array.isArray(args) ? args : [];
  return [command, ...words].filter((word) => typeof word === 'string').join(' ');
}

/** Whether a command in a record of the host is one of ours, of whatever version. */
export function isOurCommandLine(line: string): boolean {
  return isOurHook({ command: line }) || isOurHook({ command: line, args: line.split(' ') });
}
