import type { CommandContext } from '../context.ts';
import { placesOfHooks } from '../registered-hooks.ts';

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
