import {
  basename,
  join,
  relative,
  resolve,
  sep,
  dirname,
  isAbsolute,
} from 'node:path';
import { isPlainId } from '../text/sanitize.ts';
import { digestOf } from '../text/slug.ts';
import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';

/** The copy of holdfast that hooks and slash commands run, so that they keep working without the package. */
export const runtimeFolder = (config: string): string =>
  join(config, 'holdfast');

/** What a shell runs for every hook; it starts Node if there is something to do. */
export const scriptFile = (home: string): string =>
  join(home, 'bin', 'hook.sh');
/** The Node that hooks use where the PATH has none; only in the copy. */
export const nodePathFile = (home: string): string =>
  join(home, 'bin', 'node-path');
/** What bin/holdfast.cjs keeps of V8's work. */
export const cacheFolder = (home: string): string => join(home, 'cache');
export const programFile = (home: string): string =>
  join(home, 'bin', 'holdfast.cjs');

export const installsFile = (config: string): string =>
  join(runtimeFolder(config), 'installs.json');
export const sessionsFolder = (config: string): string =>
  join(runtimeFolder(config), 'sessions');
export const sessionFile = (config: string, session: string): string =>
  join(sessionsFolder(config), `${fileNameOf(session)}.json`);
/** A file for each process of Claude Code: see sessions/client-secret.ts. */
export const clientsFolder = (config: string): string =>
  join(runtimeFolder(config), 'clients');
/** What bin/hook.sh looks for. */
export const wakeFolder = (config: string): string =>
  join(runtimeFolder(config), 'wake');
export const wakeMark = (
  config: string,
  session: string,
  event: string,
): string => join(wakeFolder(config), `${fileNameOf(session)}.${event}`);

/** What hooks remember of each project. */
export const projectsFolder = (config: string): string =>
  join(runtimeFolder(config), 'projects');

/** Named after the project's folder, for people; the digest tells projects with equal names apart. */
export function hookMemoryFile(config: string, realRoot: string): string {
  const name = basename(realRoot)
    .replace(/[^\w.-]+/g, '-')
    .slice(0, MAX_SHOWN_NAME);
  return join(projectsFolder(config), `${name}-${digestOf(realRoot)}.json`);
}

const MAX_SHOWN_NAME = 60;

/** That the user has switched sync on in the clone of this id, which stands in its configuration. */
export function syncMark(config: string, cloneId: string): string {
  const name = /^[0-9a-f]{32}$/.test(cloneId) ? cloneId : 'none';
  return join(runtimeFolder(config), 'sync', name);
}

function fileNameOf(session: string): string {
  return isPlainId(session) ? session : `id-${digestOf(session)}`;
}

/** The module that the client loads, in the package and in its copy. */
export const MODULE_FILE = 'dist/module/register.js';
/** Starts `programFile` in a shell. */
export const LAUNCHER = 'bin/holdfast';
export const PLUGIN_FILE = 'dist/module/opencode.js';

export const RUNTIME_FILES = [
  LAUNCHER,
  'bin/holdfast.cjs',
  'bin/hook.sh',
  'dist/cli.cjs',
  'dist/hook.cjs',
  'dist/mcp.cjs',
  MODULE_FILE,
  PLUGIN_FILE,
];

/** The path relative to the project root in normal form; paths outside the project stay as they are. */
export function canonicalPath(root: string, path: string): string {
  if (path.startsWith('~')) return path;
  const full = resolve(root, path);
  return isInside(resolve(root), full)
    ? relative(root, full).split(sep).join('/')
    : path;
}

/** Paths are not longer, and walking up from a path of megabytes would be slow. */
export const LONGEST_PATH = 4_096;

/** The nearest folder upwards that looks like a project, else the starting folder itself. */
export function findProjectRoot(start: string, home: string): string {
  const from = resolve(start);
  for (let folder = from.slice(0, LONGEST_PATH); ; folder = dirname(folder)) {
    if (isProject(folder, home)) return folder;
    if (dirname(folder) === folder) return from;
  }
}

function isProject(folder: string, home: string): boolean {
  const has = (...path: string[]): boolean => existsSync(join(folder, ...path));
  if (
    has('untracked', 'workflow-state') ||
    has('.claude', 'holdfast.json') ||
    has('.git')
  )
    return true;
  // Every home folder has a .claude, which does not make it a project.
  return (
    has('.claude') && folder !== resolve(home) && folder !== realPath(home)
  );
}

/** The path without links, as far as it exists and may be read. */
export function realPath(path: string): string {
  const folder = dirname(path);
  if (existsSync(path)) return realpathSync.native(path);
  return folder === path ? path : join(realPath(folder), basename(path));
}

/** Nothing can be found below it, and nothing can be written there, even by root. */
const NO_HOME = '/dev/null';

/** The user's home folder, also where `HOME` is empty or the user is unknown to the system, as in some containers. */
export function homeFolder(): string {
  try {
    const home =
      (process.platform === 'win32' ? undefined : process.env['HOME']) ??
      homedir();
    return isAbsolute(home) ? home : NO_HOME;
  } catch {
    // The user has no HOME and no entry in the password file.
    return NO_HOME;
  }
}

/**
 * The user's folder of Claude Code. A repository can set the variable too, in the settings of Claude Code or in a `.env`
 * that Qwen Code and Gemini CLI read. Wherever it was cloned, it could name a folder of its own by a relative path, or
 * as /proc shows the working directory: neither counts. bin/hook.sh and bin/holdfast.cjs have the same rule.
 */
export function configFolder(
  environment: Record<string, string | undefined>,
  home: string,
): string {
  return namedConfig(environment) ?? join(home, '.claude');
}

/** `.claude.json`, with the user's MCP servers: next to the configuration folder if that is the default one. */
export const hostFile = (
  environment: Record<string, string | undefined>,
  home: string,
): string => join(namedConfig(environment) ?? home, '.claude.json');

function namedConfig(
  environment: Record<string, string | undefined>,
): string | null {
  const named = environment['CLAUDE_CONFIG_DIR'] ?? '';
  if (!isAbsolute(named)) return null;
  const folder = resolve(named);
  return isInside('/proc', folder) ? null : folder;
}

/**
 * The time of a call: what it records, and what it compares with recorded times. Locks and durations use the system's clock.
 * Tests set it; the build that is published defines the variable away.
 */
export const currentTime = (): Date => {
  const set = process.env['HOLDFAST_NOW'];
  return set === undefined ? new Date() : new Date(set);
};

export const isInside = (folder: string, path: string): boolean =>
  path === folder ||
  path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
