import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { setDescribe } from '../errors/holdfast-error.ts';
import { describe } from '../errors/describe.ts';
import { sanitizeLines } from '../util/sanitize.ts';
import type { OperationContext } from '../operations/open-project.ts';
import { createContext, type ServerOptions } from './context.ts';
import { makeServer } from './server.ts';

/** Standard output belongs to the protocol. */
function warn(sentence: string): void {
  process.stderr.write(`${sanitizeLines(`holdfast: ${sentence}`).join('\n')}\n`);
}

/** `holdfast mcp`, also with the options that the command line has for every command. */
function placeFrom(words: readonly string[]): ServerOptions {
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
  };
}

setDescribe(describe);
const place = placeFrom(process.argv.slice(2));

function openContext(): OperationContext {
  const context = createContext(place, new Date(), warn);
  place.successor = context.session ?? undefined;
  return context;
}

serveStdio(() => makeServer(openContext, warn), {
  onerror: (error) => warn(error.message),
});
