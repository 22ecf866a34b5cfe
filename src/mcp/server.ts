import { Server } from '@modelcontextprotocol/server';
import { describe } from '../errors/describe.ts';
import { HoldfastError } from '../errors/holdfast-error.ts';
import { sanitizeLine } from '../util/sanitize.ts';
import { isObject } from '../util/json.ts';
import { touchHolder } from '../sessions/heartbeat.ts';
import type { OperationContext } from '../operations/context.ts';
import { version } from '../util/version.ts';
import { safeJson } from '../util/safe-json.ts';
import { toHoldfastError } from '../io/fs-errors.ts';
import { refusalText } from './error-text.ts';
import { toolNamed, TOOLS } from './tools.ts';

const INSTRUCTIONS =
  'Drives a workflow step by step; its state is kept on disk and survives compaction and /clear. ' +
  'Follow the instructions of the current step, then call workflow_advance.';

interface Reply {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  isError?: boolean;
}

/** The plain server with plain JSON schemas: the other one loads a library for them, at every start. */
export function makeServer(
  openDesk: () => OperationContext,
  warn: (sentence: string) => void,
): Server {
  const server = new Server(
    { name: 'holdfast', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: TOOLS.map(({ run: _run, ...described }) => described),
  }));
  server.setRequestHandler('tools/call', ({ params }, { mcpReq: { signal } }) =>
    answer(params.name, params.arguments, () => ({ ...openDesk(), signal }), warn),
  );
  return server;
}

async function answer(
  name: string,
  given: unknown,
  openDesk: () => OperationContext,
  warn: (sentence: string) => void,
): Promise<Reply> {
  try {
    const tool = toolNamed(name);
    const desk = openDesk();
    const result = await tool.run(desk, isObject(given) ? given : {});
    keepSeen(desk);
    return replyOf(safeJson(result));
  } catch (thrown) {
    const error = toHoldfastError(thrown);
    if (error instanceof HoldfastError) return { ...replyOf(refusalText(error)), isError: true };
    warn(error instanceof Error ? (error.stack ?? error.message) : String(error));
    const told = error instanceof Error ? error.message : String(error);
    return {
      ...replyOf(sanitizeLine(`internal error, please report: ${told}`)),
      isError: true,
    };
  }
}

function replyOf(text: string): Reply {
  return { content: [{ type: 'text', text }] };
}

/** A session whose agent calls tools is alive, also when no hook fires. */
function keepSeen({ session, store, now, warn }: OperationContext): void {
  if (session === null) return;
  try {
    touchHolder(store, store.list().runs, session, now);
  } catch (error) {
    // What the tool did stays true where this cannot be written.
    if (!(error instanceof HoldfastError)) throw error;
    warn(describe(error.failure).message);
  }
}
