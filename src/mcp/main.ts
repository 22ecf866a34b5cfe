import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { currentTime } from '../files/environment.ts';
import { sanitizeLines } from '../text/sanitize.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import { createContext, recordServer, type ServerOptions } from './context.ts';
import { makeServer } from './server.ts';

/** Warnings go to standard error, because standard output carries the protocol. */
function warn(message: string): void {
  process.stderr.write(`${sanitizeLines(`holdfast: ${message}`).join('\n')}\n`);
}

/** Reads the global options of the command line; commander is not part of this bundle. */
function parseOptions(words: readonly string[]): ServerOptions {
  const option = (name: string): string | undefined => {
    const joined = words.find((word) => word.startsWith(`${name}=`));
    if (joined !== undefined) return joined.slice(name.length + 1);
    const at = words.indexOf(name);
    return at < 0 ? undefined : words[at + 1];
  };
  return {
    cwd: option('--cwd'),
    session: option('--session'),
    environment: process.env,
    workingFolder: process.cwd(),
    parentProcess: process.ppid,
    ownRun: { runId: null },
  };
}

const options = parseOptions(process.argv.slice(2));

function openContext(): OperationContext {
  return createContext(options, currentTime(), warn);
}

recordServer(options, currentTime(), warn);
serveStdio(() => makeServer(openContext, warn), {
  onerror: (error) => warn(error.message),
});
