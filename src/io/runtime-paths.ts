import { join } from 'node:path';
import { isPlainId } from '../util/sanitize.ts';
import { digestOf } from './digest.ts';

/** The copy of holdfast that hooks and slash commands run, so that they keep working without the package. */
export function runtimeFolder(config: string): string {
  return join(config, 'holdfast');
}

export function hookFile(home: string): string {
  return join(home, 'dist', 'hook.cjs');
}

/** What a shell runs for every hook; it starts `hookFile` if there is something to do. */
export function scriptFile(home: string): string {
  return join(home, 'bin', 'hook.sh');
}

/** The Node that hooks use where the PATH has none; only in the copy. */
export function nodePathFile(home: string): string {
  return join(home, 'bin', 'node-path');
}

/** What bin/holdfast.cjs keeps of V8's work. */
export function cacheFolder(home: string): string {
  return join(home, 'cache');
}

export function programFile(home: string): string {
  return join(home, 'bin', 'holdfast.cjs');
}

export function installsFile(config: string): string {
  return join(runtimeFolder(config), 'installs.json');
}

/** The folder of what is known of sessions outside any project, below the user's configuration folder. */
export function sessionsFolder(config: string): string {
  return join(runtimeFolder(config), 'sessions');
}

export function sessionFile(config: string, session: string): string {
  return join(sessionsFolder(config), `${fileNameOf(session)}.json`);
}

/** What bin/hook.sh looks for. */
export function wakeFolder(config: string): string {
  return join(runtimeFolder(config), 'wake');
}

export function wakeMark(config: string, session: string, event: string): string {
  return join(wakeFolder(config), `${fileNameOf(session)}.${event}`);
}

function fileNameOf(session: string): string {
  return isPlainId(session) ? session : `id-${digestOf(session)}`;
}

/** The module that the client loads, in the package and in its copy. */
export const MODULE_FILE = 'dist/module/register.js';

/** Starts `programFile` in a shell. */
export const LAUNCHER = 'bin/holdfast';

/** The files of the package or of its copy, relative to its folder. */
export const RUNTIME_FILES = [
  LAUNCHER,
  'bin/holdfast.cjs',
  'bin/hook.sh',
  'dist/cli.cjs',
  'dist/hook.cjs',
  'dist/mcp.cjs',
  MODULE_FILE,
];
