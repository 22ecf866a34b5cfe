import { resolve } from 'node:path';
import { currentTime } from '../io/clock.ts';
import { shellQuote } from '../util/shell-quote.ts';
import { placesOfHooks } from '../commands/view/registered-hooks.ts';
import type { CommandContext, Output } from '../commands/view/output.ts';
import { openOperationContext } from '../operations/open-project.ts';

export interface GlobalOptions {
  cwd?: string;
  session?: string;
  json?: boolean;
}

export function createContext(
  options: GlobalOptions,
  output: Output,
  command = '',
): CommandContext {
  const context = openOperationContext({
    cwd: resolve(options.cwd ?? process.cwd()),
    session: options.session,
    environment: process.env,
    claudePid: process.env['CLAUDE_PID'],
    isCwdGiven: options.cwd !== undefined,
    now: currentTime(),
    by: 'cli',
    warn: output.warn,
  });
  return {
    ...context,
    output,
    command,
    hasHooks: () => placesOfHooks(context).length > 0,
    retryFor: (runId) => withRunNamed(command, runId),
  };
}

/** Commands whose first word is not a run. */
const TAKES_OPTION = new Set(['tasks', 'pivot']);
const MAX_SHOWN = 300;

/** The call as it was typed, with the name of a run. */
function withRunNamed(command: string, runId: string): string {
  const words = process.argv.slice(2);
  const at = words.indexOf(command) + 1;
  const typed = words.map(shellQuote);
  const named = TAKES_OPTION.has(command)
    ? [...typed, '--run', runId]
    : [...typed.slice(0, at), runId, ...typed.slice(at)];
  const line = ['holdfast', ...named].join(' ');
  return line.length <= MAX_SHOWN ? line : `holdfast ${command} ${runId} …`;
}
