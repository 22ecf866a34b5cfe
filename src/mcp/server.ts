import { Server } from '@modelcontextprotocol/server';
import { HoldfastError } from '../errors/holdfast-error.ts';
import { sanitizeLine } from '../util/sanitize.ts';
import { isObject } from '../util/json.ts';
import { maySync } from '../remote/may-sync.ts';
import { touchSession } from '../operations/heartbeat.ts';
import type { OperationContext } from '../operations/open-project.ts';
import { takenOverNotices } from '../operations/told.ts';
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

/** Uses the low-level server with plain JSON schemas: McpServer loads a schema library at every start. */
export function makeServer(
  openContext: () => OperationContext,
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
    answer(params.name, params.arguments, () => ({ ...openContext(), signal }), warn),
  );
  return server;
}

async function answer(
  name: string,
  given: unknown,
  openContext: () => OperationContext,
  warn: (sentence: string) => void,
): Promise<Reply> {
  let notices: string[] = [];
  try {
    const tool = toolNamed(name);
    const context = openContext();
    notices = maySync(context.root) ? takenOverNotices(context) : [];
    const result = await tool.run(context, isObject(given) ? given : {});
    touchSession(context);
    return replyOf(safeJson(result), notices);
  } catch (thrown) {
    const error = toHoldfastError(thrown);
    if (error instanceof HoldfastError)
      return { ...replyOf(refusalText(error), notices), isError: true };
    warn(error instanceof Error ? (error.stack ?? error.message) : String(error));
    const message = error instanceof Error ? error.message : String(error);
    return {
      ...replyOf(sanitizeLine(`internal error, please report: ${message}`), notices),
      isError: true,
    };
  }
}

/** Notices come after the reply, so that its first text is JSON as always. */
function replyOf(text: string, notices: readonly string[]): Reply {
  return { content: [text, ...notices].map((part) => ({ type: 'text', text: part })) };
}
