import { resolve } from 'node:path';
import { HoldfastError } from '../errors/holdfast-error.ts';
import { warnWith } from '../errors/warnings.ts';
import { currentTime } from '../io/clock.ts';
import { findProjectRoot, realPath } from '../io/project-root.ts';
import { isInside } from '../io/read-file.ts';
import { homeFolder } from '../io/user-folders.ts';
import { openOperationContext, type OperationContext } from '../operations/open-project.ts';
import { isInAgentsShell } from '../operations/require-person.ts';
import { isCwdAfterCommand } from './default-command.ts';
import type { Output } from './output/output.ts';

export interface GlobalOptions {
  cwd?: string;
  session?: string;
  json?: boolean;
}

/** What every command is given. */
export interface CommandContext extends OperationContext {
  output: Output;
}

export function createContext(options: GlobalOptions, output: Output): CommandContext {
  requireOwnProject(options);
  const context = openOperationContext({
    cwd: resolve(options.cwd ?? process.cwd()),
    session: options.session,
    environment: process.env,
    claudePid: process.env['CLAUDE_PID'],
    isCwdGiven: options.cwd !== undefined,
    now: currentTime(),
    by: 'cli',
    warn: warnWith(output.warn),
  });
  return { ...context, output };
}

/**
 * The permission rules that `init` writes are for the project of the session. They compare only the beginning of a call,
 * so a folder that is named behind the command would let an agent read and write anywhere.
 */
function requireOwnProject({ cwd }: GlobalOptions): void {
  if (cwd === undefined || !isCwdAfterCommand(process.argv)) return;
  if (!isInAgentsShell({ environment: process.env })) return;
  const rootOf = (folder: string): string =>
    realPath(findProjectRoot(resolve(folder), homeFolder()));
  if (isInside(rootOf('.'), rootOf(cwd))) return;
  throw new HoldfastError({ code: 'cwd_after_command', path: cwd });
}
