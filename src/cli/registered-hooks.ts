import { existsSync } from 'node:fs';
import { fixCommandFor } from '../doctor/fix-command.ts';
import { policyFilesIn, policyFolderOf } from '../doctor/host/policy-files.ts';
import { switchedOff } from '../doctor/host/hook-switches.ts';
import { placesIn, registrationsIn, type Registration } from '../doctor/host/registrations.ts';
import { byWeight, ignoredFiles, readSettingsFiles } from '../doctor/host/settings-files.ts';
import { statusLinesIn } from '../doctor/host/status-lines.ts';
import { fileOfCommand, parseHookCommand } from '../install/plan/hook-command.ts';
import type { Scope } from '../install/plan/scopes.ts';
import { isOurStatusLine, ownCommandIn } from '../install/plan/status-line.ts';
import type { CommandContext } from './context.ts';
import { userConfig } from './installation.ts';

/** Where Claude Code finds our hooks; with them it finds the slash commands. */
export function placesOfHooks(cli: Pick<CommandContext, 'root'>): string[] {
  return placesIn(registrationsIn(settingsPlaces(cli)));
}

/** The command that brings back the files of hooks that are registered; null if some are there, or no hook is registered. */
export function whatBringsFilesBack(cli: Pick<CommandContext, 'root'>): string | null {
  const places = settingsPlaces(cli);
  const registrations = registrationsIn(places);
  const isThere = ({ hook }: Registration): boolean => {
    const form = parseHookCommand(hook);
    if (form.kind === 'unknown' || form.kind === 'program') return true;
    const file = fileOfCommand(form, places);
    return file !== null && existsSync(file);
  };
  return registrations.length === 0 || registrations.some(isThere)
    ? null
    : fixCommandFor(registrations);
}

/** Which settings keep all hooks from running, and what to do about it; null if none do. */
export function whatSwitchesHooksOff(cli: Pick<CommandContext, 'root'>): string | null {
  const [finding] = switchedOff(readSettingsFiles(settingsPlaces(cli)));
  return finding === undefined ? null : `${finding.message}: ${finding.fix}`;
}

/** Settings files that may have our hooks, but that the client ignores because they are not JSON. */
export function ignoredSettings(cli: Pick<CommandContext, 'root'>): string[] {
  return ignoredFiles(readSettingsFiles(settingsPlaces(cli)));
}

/** The settings files of status lines that are not shown beside the one in this scope. */
export interface HiddenStatusLine {
  /** Shown in place of ours. */
  hiddenBy: string | null;
  /** The user's own, in place of which ours is shown. */
  hides: string | null;
}

/** As it is once the scope has the status line. */
export function hiddenStatusLine(
  cli: Pick<CommandContext, 'root'>,
  scope: Scope,
): HiddenStatusLine {
  const files = byWeight(readSettingsFiles(settingsPlaces(cli)));
  const here = files.findIndex((file) => file.scope === scope && file.elsewhere === null);
  const above = statusLinesIn(files.slice(here + 1)).at(-1);
  if (above !== undefined)
    return { hiddenBy: isOurStatusLine(above.value) ? null : above.file.shown, hides: null };
  // The local scope runs the line that it would hide, and the user's hides none.
  const others = scope === 'project' ? statusLinesIn(files.slice(0, here + 1)) : [];
  const own = others.findLast(({ value }) => ownCommandIn(value) !== null);
  return { hiddenBy: null, hides: own?.file.scope === 'user' ? own.file.shown : null };
}

function settingsPlaces({
  root,
}: Pick<CommandContext, 'root'>): Parameters<typeof registrationsIn>[0] {
  const policyFiles = policyFilesIn(policyFolderOf(process.platform));
  return { root, config: userConfig(), policyFiles };
}
