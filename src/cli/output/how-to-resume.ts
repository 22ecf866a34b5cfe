import { policyFilesIn, policyFolderOf } from '../../doctor/host/policy-files.ts';
import { placesIn, registrationsIn } from '../../doctor/host/registrations.ts';
import type { CommandContext } from '../context.ts';
import { userConfig } from '../installation.ts';

/** Where Claude Code finds our hooks; with them it finds the slash commands. */
export function placesOfHooks({ root }: Pick<CommandContext, 'root'>): string[] {
  const policyFiles = policyFilesIn(policyFolderOf(process.platform));
  return placesIn(registrationsIn({ root, config: userConfig(), policyFiles }));
}

/** What a person at a terminal does so that a session of Claude Code takes the run. */
export function howToResume(cli: Pick<CommandContext, 'root'>, runId: string): string {
  const typed = `type /holdfast:resume ${runId}`;
  return placesOfHooks(cli).length === 0
    ? `holdfast init, then in Claude Code ${typed}`
    : `in Claude Code, ${typed}`;
}
