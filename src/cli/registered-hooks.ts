import { existsSync } from 'node:fs';
import { fixCommandFor } from '../doctor/fix-command.ts';
import { switchedOff } from '../doctor/host/hook-switches.ts';
import { placesIn, registrationsIn, type Registration } from '../doctor/host/registrations.ts';
import { ignoredFiles, readSettingsFiles } from '../doctor/host/settings-files.ts';
import { hiddenBeside, type HiddenStatusLine } from '../doctor/host/status-lines.ts';
import { fileOfCommand, parseHookCommand } from '../install/plan/hook-command.ts';
import type { Scope } from '../install/plan/scopes.ts';
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
    if (form.kind === 'unknown') return true;
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

/** Which status line the one in this scope hides, or is hidden by. */
export function hiddenStatusLine(
  cli: Pick<CommandContext, 'root'>,
  scope: Scope,
): HiddenStatusLine {
  return hiddenBeside(scope, readSettingsFiles(settingsPlaces(cli)));
}

function settingsPlaces({
  root,
}: Pick<CommandContext, 'root'>): Parameters<typeof registrationsIn>[0] {
  return { root, config: userConfig() };
}
