import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { sanitizeLines } from '../util/sanitize.ts';
import type { OperationContext } from '../operations/context.ts';
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

const place = placeFrom(process.argv.slice(2));

function openDesk(): OperationContext {
  const desk = createContext(place, new Date(), warn);
  place.successor = desk.session ?? undefined;
  return desk;
}

serveStdio(() => makeServer(openDesk, warn), {
  onerror: (error) => warn(error.message),
});
