import { Server } from '@modelcontextprotocol/server';
import { advance } from '../commands/advance.ts';
import { complete } from '../commands/complete.ts';
import { contextAction } from '../commands/context.ts';
import { fail } from '../commands/fail.ts';
import { note } from '../commands/note.ts';
import { prime } from '../commands/prime.ts';
import { start } from '../commands/start.ts';
import { status } from '../commands/status.ts';
import { tasks } from '../commands/tasks.ts';
import { todo } from '../commands/todo.ts';
import type { Tool } from '../commands/command.ts';
import { errorLine, HoldfastError } from '../text/holdfast-error.ts';
import { toHoldfastError } from '../files/fs-errors.ts';
import {
  touchSession,
  tellMessages,
  type OperationContext,
} from '../sessions/open-project.ts';
import { isObject, safeJson } from '../text/json.ts';
import { sanitizeLine, sanitizeLines } from '../text/sanitize.ts';
import { version } from '../text/version.ts';

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
  server.setRequestHandler('tools/call', (request, { mcpReq }) => {
    const { name, arguments: input } = request.params;
    const openCall = (): OperationContext => ({
      ...openContext(),
      signal: mcpReq.signal,
    });
    return answer(name, input, openCall, warn);
  });
  return server;
}

async function answer(
  name: string,
  args: unknown,
  openContext: () => OperationContext,
  warn: (sentence: string) => void,
): Promise<Reply> {
  let notices: string[] = [];
  try {
    const tool = TOOLS.find((candidate) => candidate.name === name);
    if (tool === undefined)
      throw new HoldfastError('unknown_tool', `there is no tool "${name}"`, {
        hint: `available: ${TOOLS.map((candidate) => candidate.name).join(', ')}`,
      });
    const context = openContext();
    context.registry.recordSeen(context.session);
    notices = tellMessages(context);
    const result = await tool.run(context, isObject(args) ? args : {});
    touchSession(context);
    return replyOf(safeJson(result), notices);
  } catch (thrown) {
    const error = toHoldfastError(thrown);
    if (!(error instanceof HoldfastError)) warn(stackOf(error));
    return { ...replyOf(errorText(error), notices), isError: true };
  }
}

function errorText(error: unknown): string {
  if (error instanceof HoldfastError) {
    const { message, details, hint, toolHint = hint } = error;
    const line = sanitizeLine(errorLine({ message, hint: toolHint }));
    if (details === '') return line;
    return `${line}\n\n${sanitizeLines(details).join('\n')}`;
  }
  const message = error instanceof Error ? error.message : String(error);
  return sanitizeLine(`internal error, please report: ${message}`);
}

const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

/** Notices come after the reply, so that its first text is JSON as always. */
function replyOf(text: string, notices: readonly string[]): Reply {
  return {
    content: [text, ...notices].map((part) => ({ type: 'text', text: part })),
  };
}

/** The tools of the commands. The other commands are left out, because a server starts with every session. */
const COMMANDS = [
  start,
  status,
  tasks,
  advance,
  complete,
  fail,
  note,
  contextAction,
  prime,
  todo,
];
const TOOLS: readonly Tool[] = COMMANDS.flatMap(({ tool }) => tool ?? []);
