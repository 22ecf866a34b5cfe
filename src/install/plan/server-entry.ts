import { isObject } from '../../util/json.ts';
import { locatorScript } from './locate-script.ts';

/** The MCP server as it is registered with the client. */
export interface ServerEntry {
  type: 'stdio';
  command: string;
  args: string[];
}

export const SERVER_NAME = 'holdfast';

const MARK = 'holdfast-mcp';

/** Unlike a hook, a missing server should be noticed: the client lists it as failed, with this message. */
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

/** Whether `init` wrote it. An entry that was added by hand belongs to the user. */
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
