import { resolve } from 'node:path';
import { warnWith } from '../errors/warnings.ts';
import { openOperationContext, type OperationContext } from '../operations/open-project.ts';
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
  const context = openOperationContext({
    cwd: resolve(options.cwd ?? process.cwd()),
    session: options.session,
    environment: process.env,
    claudePid: process.env['CLAUDE_PID'],
    isCwdGiven: options.cwd !== undefined,
    now: new Date(),
    by: 'cli',
    warn: warnWith(output.warn),
  });
  return { ...context, output };
}
