import { statSync } from 'node:fs';
import { hostname } from '../io/hostname.ts';
import { homeFolder, configFolder } from '../io/user-folders.ts';
import { HoldfastError } from '../errors/holdfast-error.ts';
import type { SettingsWarning } from '../errors/settings.ts';
import type { Warning } from '../errors/warnings.ts';
import { findProjectRoot } from '../io/project-root.ts';
import { clientProcess, type ClientProcess } from '../sessions/client-process.ts';
import { checkoutOf, launchFolderOf } from '../sessions/environment.ts';
import type { LivenessContext } from '../sessions/holder.ts';
import { projectOfSession } from '../sessions/project-of-session.ts';
import { SessionRegistry } from '../sessions/session-registry.ts';
import { owedFolder } from '../sessions/session-file.ts';
import { loadSettings, SETTINGS_FILE, type Settings } from '../settings/settings.ts';
import { OwedFiles } from '../state/store/owed-files.ts';
import { Store } from '../state/store/store.ts';

type Environment = Record<string, string | undefined>;

/** A project as one call sees it: everything below an entry point takes files, clock and environment from here. */
export interface ProjectContext extends LivenessContext {
  root: string;
  settings: Settings;
  store: Store;
  environment: Environment;
}

export interface OpenedProject extends ProjectContext {
  /** What bin/hook.sh is told about sessions of this project. */
  owed: OwedFiles;
}

export interface ProjectOptions {
  root: string;
  now: Date;
  environment: Environment;
  /** How long a write waits for other writers. */
  lockWaitMs: number;
  warn: (warning: SettingsWarning) => void;
  /** Called once if nothing can be written; without it, the refusal is thrown. */
  onWriteRefused?: (error: HoldfastError) => void;
}

export function openProject(options: ProjectOptions): OpenedProject {
  const { root, now, environment, lockWaitMs, warn, onWriteRefused } = options;
  const { settings, problems } = loadSettings(root);
  if (problems.length > 0) warn({ code: 'settings_problems', file: SETTINGS_FILE, problems });
  const config = configFolder(environment, homeFolder());
  const registry = new SessionRegistry(config, now.getTime());
  const owed = new OwedFiles(owedFolder(config, root));
  return {
    root,
    settings,
    store: new Store({
      root,
      now: () => now,
      waitMs: lockWaitMs,
      owed,
      ...(onWriteRefused === undefined ? {} : { onWriteRefused }),
    }),
    owed,
    environment,
    now,
    hostname: hostname(),
    checkout: checkoutOf(root),
    seenAt: (session) => registry.seenAt(session),
  };
}

/** What every operation is given, whether a command or an MCP tool calls it. */
export interface OperationContext extends ProjectContext {
  cwd: string;
  /** Where the client was launched, as far as that is known. */
  launchFolder: string;
  /** The session that asks; null in a terminal that is not a Claude Code session. */
  session: string | null;
  /** The process of the client, if it is known. */
  client: ClientProcess | null;
  /** What is known of sessions outside any project. */
  registry: SessionRegistry;
  /** The user's configuration folder of Claude Code. */
  config: string;
  /** For the journal. */
  by: 'cli' | 'mcp' | 'run';
  warn: (warning: Warning) => void;
  /** What a caller without a session knows of its own run; an MCP server keeps it between calls. */
  ownRun?: OwnRun | undefined;
  /** Aborted when the caller no longer waits for the answer. */
  signal?: AbortSignal | undefined;
}

export interface OwnRun {
  runId: string | null;
}

export interface OperationOptions extends Omit<ProjectOptions, 'root' | 'lockWaitMs' | 'warn'> {
  cwd: string;
  /** From `--session`; the environment names it otherwise. */
  session: string | undefined;
  /** The process id of the client, if it is known. */
  claudePid: string | undefined;
  /** Whether the user named the folder; then no other project is meant. */
  isCwdGiven: boolean;
  by: OperationContext['by'];
  warn: OperationContext['warn'];
}

const LOCK_WAIT_MS = 10_000;

/** Opens the project that contains `cwd` for a command or a tool call. */
export function openOperationContext(options: OperationOptions): OperationContext {
  const { cwd, environment, by, claudePid, warn } = options;
  if (!isFolder(cwd)) throw new HoldfastError({ code: 'no_such_folder', path: cwd });
  const config = configFolder(environment, homeFolder());
  const registry = new SessionRegistry(config, options.now.getTime());
  const given = givenSession(options.session, environment);
  // After /clear an MCP server still has the id of the session before it.
  const session = given === null ? null : registry.current(given);
  const here = findProjectRoot(cwd, homeFolder());
  const elsewhere = options.isCwdGiven || session === null ? null : registry.projectOf(session);
  const root = projectOfSession(here, [elsewhere], session);
  return {
    ...openProject({ ...options, root, lockWaitMs: LOCK_WAIT_MS }),
    cwd,
    launchFolder: launchFolderOf(environment, cwd),
    session,
    client: clientProcess(claudePid),
    registry,
    config,
    by,
    warn,
  };
}

/** The session that `--session` or else the environment names. */
export function givenSession(
  option: string | undefined,
  environment: Record<string, string | undefined>,
): string | null {
  const given = (option ?? environment['CLAUDE_CODE_SESSION_ID'] ?? '').trim();
  return given === '' ? null : given;
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
