import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { warnWith } from '../errors/warnings.ts';
import { sanitizeLines } from '../util/sanitize.ts';
import type { OperationContext } from '../operations/open-project.ts';
import { createContext, recordServer, type ServerOptions } from './context.ts';
import { limitLines } from './limit-lines.ts';
import type { RequestId } from './request-id.ts';
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
  return createContext(options, new Date(), warnWith(warn));
}

const MAX_REQUEST_BYTES = 10_000_000;
const INVALID_REQUEST = -32_600;

function refuseLongRequest(id: RequestId): void {
  const message = `the request exceeds ${MAX_REQUEST_BYTES / 1_000_000} MB and was not read; send less, or write the text to a file and name the file`;
  const reply = { jsonrpc: '2.0', id, error: { code: INVALID_REQUEST, message } };
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}

/** Requests come from standard input as whole lines of bounded length. */
function makeTransport(): StdioServerTransport {
  const lines = limitLines(MAX_REQUEST_BYTES, refuseLongRequest);
  // The transport pauses its input when it closes; then nothing may keep this process alive.
  lines.once('pause', () => {
    process.stdin.unpipe(lines);
    process.stdin.pause();
  });
  const maxBufferSize = 2 * MAX_REQUEST_BYTES;
  return new StdioServerTransport(process.stdin.pipe(lines), process.stdout, { maxBufferSize });
}

recordServer(options, new Date(), warn);
serveStdio(() => makeServer(openContext, warn), {
  transport: makeTransport(),
  onerror: (error) => warn(error.message),
});
