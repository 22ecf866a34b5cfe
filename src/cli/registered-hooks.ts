import { policyFilesIn, policyFolderOf } from '../doctor/host/policy-files.ts';
import { switchedOff } from '../doctor/host/hook-switches.ts';
import { placesIn, registrationsIn } from '../doctor/host/registrations.ts';
import { ignoredFiles, readSettingsFiles } from '../doctor/host/settings-files.ts';
import type { CommandContext } from './context.ts';
import { userConfig } from './installation.ts';

/** Where Claude Code finds our hooks; with them it finds the slash commands. */
export function placesOfHooks(cli: Pick<CommandContext, 'root'>): string[] {
  return placesIn(registrationsIn(settingsPlaces(cli)));
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

function settingsPlaces({
  root,
}: Pick<CommandContext, 'root'>): Parameters<typeof registrationsIn>[0] {
  const policyFiles = policyFilesIn(policyFolderOf(process.platform));
  return { root, config: userConfig(), policyFiles };
}
