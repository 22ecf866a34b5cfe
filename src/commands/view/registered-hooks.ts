import { existsSync } from 'node:fs';
import { switchedOff } from '../../doctor/checks/settings.ts';
import {
  fixCommandFor,
  ignoredFiles,
  placesIn,
  readClientSettings,
  settingIn,
  type ClientSettings,
  type Registration,
  type SettingsFile,
} from '../../doctor/client-settings.ts';
import { startedProgram } from '../../install/host-commands.ts';
import type { Scope } from '../../install/places.ts';
import { isOurStatusLine, ownCommandIn } from '../../install/status-line.ts';
import { type CommandContext } from './output.ts';
import { userConfig } from './installation.ts';

type Project = Pick<CommandContext, 'root'>;

/** Where Claude Code finds our hooks; with them it finds the slash commands. */
export function placesOfHooks(cli: Project): string[] {
  return placesIn(settingsFor(cli).registrations);
}

/** The command that brings back the files of hooks that are registered; null if some are there, or no hook is registered. */
export function whatBringsFilesBack(cli: Project): string | null {
  const { registrations } = settingsFor(cli);
  const isThere = ({ hook }: Registration): boolean => {
    const started = startedProgram(hook, { root: cli.root, config: userConfig() });
    return typeof started === 'string' || (started.file !== null && existsSync(started.file));
  };
  return registrations.length === 0 || registrations.some(isThere)
    ? null
    : fixCommandFor(registrations);
}

/** Which settings keep all hooks from running, and what to do about it; null if none do. */
export function whatSwitchesHooksOff(cli: Project): string | null {
  const finding = switchedOff(settingsFor(cli).files);
  return finding === null ? null : `${finding.message}: ${finding.fix}`;
}

/** Settings files that may have our hooks, but that the client ignores because it cannot read them. */
export function ignoredSettings(cli: Project): string[] {
  return ignoredFiles(settingsFor(cli).files);
}

/** The settings files of status lines that are not shown beside the one in a scope. */
export interface HiddenStatusLine {
  /** Shown in place of ours. */
  hiddenBy: string | null;
  /** The user's own, in place of which ours is shown. */
  hides: string | null;
}

/** As it is once the scope has the status line. */
export function hiddenStatusLine(cli: Project, scope: Scope): HiddenStatusLine {
  const { files } = settingsFor(cli);
  const lineIn = (file: SettingsFile): unknown => settingIn(file, 'statusLine');
  const here = files.findIndex((file) => file.scope === scope && file.elsewhere === null);
  const above = files.slice(here + 1).findLast((file) => lineIn(file) !== undefined);
  if (above !== undefined)
    return { hiddenBy: isOurStatusLine(lineIn(above)) ? null : above.shown, hides: null };
  // The local scope runs the line that it would hide, and the user's hides none.
  const others = scope === 'project' ? files.slice(0, here + 1) : [];
  const own = others.findLast((file) => ownCommandIn(lineIn(file)) !== null);
  return { hiddenBy: null, hides: own?.scope === 'user' ? own.shown : null };
}

function settingsFor({ root }: Project): ClientSettings {
  return readClientSettings({ root, config: userConfig() });
}
