import { isObject } from '../../util/json.ts';
import { locatorScript } from './locate-script.ts';

/** The MCP server as it stands in a file of the host. */
export interface ServerEntry {
  type: 'stdio';
  command: string;
  args: string[];
}

export const SERVER_NAME = 'holdfast';

const MARK = 'holdfast-mcp';

/** Unlike a hook, a server that is not there should be seen: the host lists it as failed, with these words. */
const RUN_FOUND_SERVER = [
  locatorScript('mcp.cjs'),
  "x?require(x):(console.error('holdfast is not installed: npm install holdfast'),process.exit(1))",
].join('');

export function serverFor(program: string, node = 'node'): ServerEntry {
  return { type: 'stdio', command: node, args: [program, 'mcp'] };
}

export function portableServer(): ServerEntry {
  return { type: 'stdio', command: 'node', args: ['-e', RUN_FOUND_SERVER, MARK] };
}

/** In a form that `init` writes. One that somebody added by hand is that person's. */
export function isOurServer(entry: unknown): boolean {
  if (!isObject(entry) || !Array.isArray(entry['args'])) return false;
  const { args } = entry;
  if (args.includes(MARK)) return true;
  const [program, command, ...rest] = args;
  return (
    typeof program === 'string' &&
    /[\\/]holdfast[\\/]bin[\\/]holdfast\.cjs$/.test(program) &&
    command === 'mcp' &&
    rest.length === 0
  );
}
