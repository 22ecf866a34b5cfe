import { policyFilesIn, policyFolderOf } from '../../doctor/host/policy-files.ts';
import { switchedOff } from '../../doctor/host/hook-switches.ts';
import { placesIn, registrationsIn } from '../../doctor/host/registrations.ts';
import { readSettingsFiles } from '../../doctor/host/settings-files.ts';
import type { CommandContext } from '../context.ts';
import { userConfig } from '../installation.ts';

/** Where Claude Code finds our hooks; with them it finds the slash commands. */
export function placesOfHooks(cli: Pick<CommandContext, 'root'>): string[] {
  return placesIn(registrationsIn(settingsPlaces(cli)));
}

/** Which settings keep all hooks from running, and what to do about it; null if none do. */
export function whatSwitchesHooksOff(cli: Pick<CommandContext, 'root'>): string | null {
  const [finding] = switchedOff(readSettingsFiles(settingsPlaces(cli)));
  return finding === undefined ? null : `${finding.message}: ${finding.fix}`;
}

function settingsPlaces({
  root,
}: Pick<CommandContext, 'root'>): Parameters<typeof registrationsIn>[0] {
  const policyFiles = policyFilesIn(policyFolderOf(process.platform));
  return { root, config: userConfig(), policyFiles };
}

/** What a person at a terminal does so that a session of Claude Code takes the run. */
export function howToResume(cli: Pick<CommandContext, 'root'>, runId: string): string {
  const typed = `type /holdfast:resume ${runId}`;
  return placesOfHooks(cli).length === 0
    ? `holdfast init, then in Claude Code ${typed}`
    : `in Claude Code, ${typed}`;
}

/** What continues a run that is active and that no live session holds, in a sentence: a terminal cannot take one. */
export function resumeText(cli: Pick<CommandContext, 'root' | 'session'>, runId: string): string {
  if (cli.session !== null) return `\`holdfast resume ${runId}\``;
  const typed = `\`/holdfast:resume ${runId}\` in Claude Code`;
  return placesOfHooks(cli).length === 0 ? `\`holdfast init\`, then ${typed}` : typed;
}
