import { sessionAtWork } from '../../headless/record.ts';
import { wasDriven } from '../../sessions/client-process.ts';
import type { StoredRun } from '../../state/types.ts';
import type { CommandContext } from './output.ts';

/** What continues a run after a person has decided about it in a terminal. */
export function continuation(cli: CommandContext, run: StoredRun): string {
  if (sessionAtWork(cli, run) !== null)
    return 'tell the session that works on the run to continue; it runs holdfast status';
  return wasDriven(cli.root, run.runId) ? `holdfast run ${run.runId}` : howToResume(cli, run.runId);
}

/** What a person at a terminal does so that a session of Claude Code takes the run. */
export function howToResume(cli: CommandContext, runId: string): string {
  const typed = `type /holdfast:resume ${runId}`;
  return cli.hasHooks()
    ? `in Claude Code, ${typed}`
    : `holdfast init, then in Claude Code ${typed}`;
}

/** What continues a run that is active and that no live session holds, in a sentence: a terminal cannot take one. */
export function resumeText(cli: CommandContext, runId: string): string {
  if (cli.session !== null) return `\`holdfast resume ${runId}\``;
  const typed = `\`/holdfast:resume ${runId}\` in Claude Code`;
  return cli.hasHooks() ? typed : `\`holdfast init\`, then ${typed}`;
}
