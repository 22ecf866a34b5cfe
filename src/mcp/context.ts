import { statSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { resolve } from 'node:path';
import { HoldfastError } from '../errors/holdfast-error.ts';
import { configFolder } from '../io/config-folder.ts';
import { findProjectRoot } from '../io/project-root.ts';
import type { OperationContext } from '../operations/context.ts';
import { checkoutOf } from '../sessions/environment.ts';
import { resolveSession, sessionRecord } from '../sessions/holder.ts';
import { loadSettings } from '../settings/load.ts';
import { Store } from '../state/store/store.ts';
import type { StoredRun } from '../state/types.ts';

const WAIT_FOR_OTHERS = 10_000;

/** Where the server was started, and by whom. */
export interface ServerOptions {
  cwd: string | undefined;
  session: string | undefined;
  environment: Record<string, string | undefined>;
  workingFolder: string;
  parentProcess: number;
  /** Who came after the session, as a run told that is over by now. */
  successor?: string | undefined;
}

/** Made anew for each call: hooks and commands work on the same files meanwhile. */
export function createContext(
  place: ServerOptions,
  now: Date,
  warn: (sentence: string) => void,
): OperationContext {
  const { environment } = place;
  const cwd = resolve(place.workingFolder, folderIn(place) ?? '.');
  if (!isFolder(cwd)) throw new HoldfastError({ code: 'no_such_folder', path: cwd });
  const root = findProjectRoot(cwd, homedir());
  const { settings, problems } = loadSettings(root);
  for (const problem of problems) warn(problem);
  const store = new Store({ root, now: () => now, waitMs: WAIT_FOR_OTHERS });
  const session = (place.session ?? environment['CLAUDE_CODE_SESSION_ID'] ?? '').trim();
  return {
    root,
    cwd,
    // The host keeps a server across /clear, and with it the id of a session that is no more.
    session: session === '' ? null : sessionNow(session, store.list().runs, place.successor),
    settings,
    store,
    // The host tells hooks its process and servers not, but it is the one that started this.
    claudePid: environment['CLAUDE_PID'] ?? String(place.parentProcess),
    config: configFolder(environment, homedir()),
    environment,
    by: 'mcp',
    warn,
    now,
    hostname: hostname(),
    checkout: checkoutOf(root),
  };
}

/** A run that knows the session also knows who took over from it; without one, what was known last counts. */
function sessionNow(
  session: string,
  runs: readonly StoredRun[],
  successor: string | undefined,
): string {
  const isKnown = runs.some(({ state }) => sessionRecord(state, session) !== undefined);
  return resolveSession(isKnown ? session : (successor ?? session), runs);
}

function folderIn({ cwd, environment }: ServerOptions): string | undefined {
  if (cwd !== undefined) return cwd;
  const launched = environment['CLAUDE_PROJECT_DIR'] ?? '';
  return isFolder(launched) ? launched : undefined;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
