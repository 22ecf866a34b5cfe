import { resolve } from 'node:path';
import { configFolder, homeFolder } from '../files/environment.ts';
import {
  givenSession,
  isFolder,
  openOperationContext,
  type OperationContext,
  type OwnRun,
  callerSession,
} from '../sessions/open-project.ts';
import { SessionRegistry } from '../sessions/session-registry.ts';

/** How the server was started. */
export interface ServerOptions {
  cwd: string | undefined;
  session: string | undefined;
  environment: Record<string, string | undefined>;
  workingFolder: string;
  parentProcess: number;
  /** Kept between calls, for a server that was given no session id. */
  ownRun: OwnRun;
}

/** Made for each call, because hooks and commands change the same files between calls. */
export function createContext(
  options: ServerOptions,
  now: Date,
  warn: OperationContext['warn'],
): OperationContext {
  const { environment } = options;
  const context = openOperationContext({
    cwd: resolve(options.workingFolder, folderFor(options) ?? '.'),
    session: options.session,
    environment,
    // CLAUDE_PID is not set for MCP servers; the host is our parent process.
    claudePid: environment['CLAUDE_PID'] ?? String(options.parentProcess),
    isCwdGiven: options.cwd !== undefined,
    now,
    by: 'mcp',
    warn,
  });
  const { runs } = context.store.list();
  return { ...context, session: callerSession(context, runs), ownRun: options.ownRun };
}

/** So that hooks record which session follows it by `/clear`, also where there is no run. */
export function recordServer(
  { session, environment }: ServerOptions,
  now: Date,
  warn: (message: string) => void,
): void {
  const given = givenSession(session, environment);
  const config = configFolder(environment, homeFolder());
  const registry = new SessionRegistry(config, now.getTime(), warn);
  if (given !== null && registry.entry(given) === null) registry.update(given, (entry) => entry);
}

function folderFor({ cwd, environment }: ServerOptions): string | undefined {
  if (cwd !== undefined) return cwd;
  const launched = environment['CLAUDE_PROJECT_DIR'] ?? '';
  return isFolder(launched) ? launched : undefined;
}
