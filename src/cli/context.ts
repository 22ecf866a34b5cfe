import { existsSync, statSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { resolve } from 'node:path';
import { HoldfastError } from '../errors/holdfast-error.ts';
import { findProjectRoot } from '../io/project-root.ts';
import { configFolder } from '../io/config-folder.ts';
import type { OperationContext } from '../operations/context.ts';
import { checkoutOf } from '../sessions/environment.ts';
import { loadSettings } from '../settings/load.ts';
import { Store } from '../state/store/store.ts';
import type { Output } from './output/output.ts';

const WAIT_FOR_OTHERS = 10_000;

export interface GlobalOptions {
  cwd?: string;
  session?: string;
  json?: boolean;
}

/** Everything a command is given by its surroundings. */
export interface CommandContext extends OperationContext {
  output: Output;
}

export function createContext(options: GlobalOptions, output: Output): CommandContext {
  const cwd = resolve(options.cwd ?? process.cwd());
  if (!existsSync(cwd) || !statSync(cwd).isDirectory()) {
    throw new HoldfastError({ code: 'no_such_folder', path: cwd });
  }
  const root = findProjectRoot(cwd, homedir());
  const { settings, problems } = loadSettings(root);
  for (const problem of problems) output.warn(problem);
  const now = new Date();
  const session = options.session ?? process.env['CLAUDE_CODE_SESSION_ID'] ?? '';
  return {
    root,
    cwd,
    session: session.trim() === '' ? null : session.trim(),
    settings,
    store: new Store({ root, now: () => now, waitMs: WAIT_FOR_OTHERS }),
    claudePid: process.env['CLAUDE_PID'],
    config: configFolder(process.env, homedir()),
    environment: process.env,
    by: 'cli',
    warn: output.warn,
    output,
    now,
    hostname: hostname(),
    checkout: checkoutOf(root),
  };
}
