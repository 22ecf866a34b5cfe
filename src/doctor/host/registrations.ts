import { isOurHook } from '../../install/plan/hook-command.ts';
import { hasHookLists, placesOfHooks } from '../../install/plan/settings-hooks.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { enabledPlugins } from './plugin.ts';
import { readSettingsFiles, type SettingsFile } from './settings-files.ts';
import type { DoctorContext } from '../types.ts';

/** One of our hooks as the client finds it. */
export interface Registration {
  /** For a plugin: the scope that enables it. */
  scope: SettingsFile['scope'];
  /** The settings file, or the plugin. */
  place: string;
  /** The file that registers it. */
  path: string;
  isPlugin: boolean;
  elsewhere: SettingsFile['elsewhere'];
  event: string;
  matcher: string;
  hook: JsonObject;
}

type Origin = Pick<Registration, 'scope' | 'place' | 'path' | 'isPlugin' | 'elsewhere'>;

export function registrationsIn(context: Pick<DoctorContext, 'root' | 'config'>): Registration[] {
  const files = readSettingsFiles(context);
  const fromFiles = files.flatMap(({ scope, path, shown, elsewhere, reading }) =>
    reading.kind === 'json' && hasHookLists(reading.json)
      ? hooksOf(reading.json, { scope, place: shown, path, isPlugin: false, elsewhere }, isOurHook)
      : [],
  );
  const fromPlugins = enabledPlugins(context.config, files).flatMap((plugin) =>
    hooksOf(
      plugin.hooks,
      {
        scope: plugin.scope,
        place: `plugin ${plugin.name}`,
        path: plugin.path,
        isPlugin: true,
        elsewhere: null,
      },
      // It brings no others.
      () => true,
    ),
  );
  return [...fromFiles, ...fromPlugins];
}

function hooksOf(
  json: unknown,
  origin: Origin,
  isOurs: (hook: JsonObject) => boolean,
): Registration[] {
  return placesOfHooks(json).flatMap(({ event, matcher, hook }) =>
    isObject(hook) && isOurs(hook) ? [{ ...origin, event, matcher, hook }] : [],
  );
}

export function placesIn(found: readonly Registration[]): string[] {
  return [...new Set(found.map(({ place }) => place))];
}

export function eventsAt(found: readonly Registration[], place: string): string {
  const events = found.filter((hook) => hook.place === place).map(({ event }) => event);
  return [...new Set(events)].join(', ');
}

/** The command, for people. */
export function commandLine({ command, args }: JsonObject): string {
  const words = Array.isArray(args) ? args : [];
  return [command, ...words].filter((word) => typeof word === 'string').join(' ');
}
