import { resolve } from 'node:path';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { configFolder, currentTime, homeFolder } from '../files/environment.ts';
import { isFolder } from '../files/read-file.ts';
import {
  openOperationContext,
  type OperationContext,
} from '../sessions/open-project.ts';
import { SessionRegistry } from '../sessions/session-registry.ts';
import { sanitizeLines } from '../text/sanitize.ts';
import { makeServer } from './server.ts';

/** Warnings go to standard error, because standard output carries the protocol. */
function warn(message: string): void {
  process.stderr.write(`${sanitizeLines(`holdfast: ${message}`).join('\n')}\n`);
}

/** A global option of the command line; commander is not part of this bundle. */
function option(name: string): string | undefined {
  const words = process.argv.slice(2);
  const joined = words.find((word) => word.startsWith(`${name}=`));
  if (joined !== undefined) return joined.slice(name.length + 1);
  const at = words.indexOf(name);
  return at < 0 ? undefined : words[at + 1];
}

const environment = process.env;
const session = option('--session');
const cwd = option('--cwd');
/** Kept between calls, for a server that was given no session id. */
const ownRun = { runId: null };

/** Made for each call, because hooks and commands change the same files between calls. */
function openContext(): OperationContext {
  const launched = environment['CLAUDE_PROJECT_DIR'] ?? '';
  const folder = isFolder(launched) ? launched : '.';
  const context = openOperationContext({
    cwd: resolve(cwd ?? folder),
    entrance: { at: 'mcp', named: session },
    environment,
    isCwdGiven: cwd !== undefined,
    warn,
  });
  return { ...context, ownRun };
}

// So that hooks record which session follows it by `/clear`, also where there is no run.
const namedSession = environment['CLAUDE_CODE_SESSION_ID'] ?? session ?? '';
const ownSession = namedSession.trim();
const config = configFolder(environment, homeFolder());
const registry = new SessionRegistry(config, currentTime().getTime(), warn);
if (ownSession !== '' && registry.entry(ownSession) === null)
  registry.update(ownSession, {});
serveStdio(() => makeServer(openContext, warn), {
  onerror: (error) => warn(error.message),
});
