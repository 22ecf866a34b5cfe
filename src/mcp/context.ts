import { resolve } from 'node:path';
import {
  isFolder,
  openOperationContext,
  type OperationContext,
  type OwnRun,
} from '../operations/open-project.ts';
import { callerSession } from '../operations/target-run.ts';
import { sessionRecord } from '../sessions/holder.ts';

/** How the server was started. */
export interface ServerOptions {
  cwd: string | undefined;
  session: string | undefined;
  environment: Record<string, string | undefined>;
  workingFolder: string;
  parentProcess: number;
  /** The successor session after /clear, from a run that has since ended. */
  successor?: string | undefined;
  /** Kept between calls, for a server that was given no session id. */
  ownRun: OwnRun;
}

/** Made for each call, because hooks and commands change the same files between calls. */
export function createContext(
  options: ServerOptions,
  now: Date,
  warn: (message: string) => void,
): OperationContext {
  const { environment } = options;
  const context = openOperationContext({
    cwd: resolve(options.workingFolder, folderFor(options) ?? '.'),
    session: options.session,
    environment,
    // CLAUDE_PID is not set for MCP servers; the host is our parent process.
    claudePid: environment['CLAUDE_PID'] ?? String(options.parentProcess),
    now,
    by: 'mcp',
    warn,
  });
  const { successor, ownRun } = options;
  return { ...context, session: currentSession(context, successor), ownRun };
}

/**
 * The host keeps a server across /clear, and with it the id of a session that has ended. A run that knows this id
 * also knows its successor; if no run does, the successor seen last counts.
 */
function currentSession(
  { session, store }: OperationContext,
  successor: string | undefined,
): string | null {
  if (session === null) return null;
  const { runs } = store.list();
  const isKnown = runs.some(({ state }) => sessionRecord(state, session) !== undefined);
  return callerSession({ session: isKnown ? session : (successor ?? session) }, runs);
}

function folderFor({ cwd, environment }: ServerOptions): string | undefined {
  if (cwd !== undefined) return cwd;
  const launched = environment['CLAUDE_PROJECT_DIR'] ?? '';
  return isFolder(launched) ? launched : undefined;
}
