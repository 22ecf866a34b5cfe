import type { Reply, ToolCall } from './reply.ts';
import {
  isSideJob,
  isSummariser,
  isTurn,
  lastPrompt,
  type ModelRequest,
} from './request.ts';

const DONE = 'DONE';
export const SUMMARY = 'SUMMARY-OF-EARLIER-WORK';

/**
 * A model that executes the commands of the last prompt one after the other and then replies
 * DONE. A command begins a line or follows ` THEN `; all that follows `DO:AGENT` on its line is for the sub-agent.
 *
 *     DO:READ <path>          DO:EDIT <path> <old> => <new>     DO:AGENT <prompt>
 *     DO:WRITE <path> <text>  DO:BASH <command>                 DO:MCP <tool> <json>
 */
export function obey(request: ModelRequest): Reply {
  if (isSummariser(request))
    return { text: `<analysis>-</analysis><summary>${SUMMARY}</summary>` };
  if (isSideJob(request)) return { text: 'side job' };
  const { text, toolCalls } = lastPrompt(request);
  const next = commands(text)[toolCalls];
  return next === undefined ? { text: DONE } : { tools: [toolCall(next)] };
}

/** As `obey`, but whenever a turn ends the context is full: the client compacts before the next one. */
export function obeyAndFillUp(request: ModelRequest): Reply {
  const reply = obey(request);
  const isEndOfTurn = isTurn(request) && reply.tools === undefined;
  return isEndOfTurn
    ? { ...reply, inputTokens: 1.5 * AUTO_COMPACT_WINDOW }
    : reply;
}

const AUTO_COMPACT_WINDOW = 100_000;
/** For the environment of a client that is to compact by itself. */
export const SMALL_WINDOW = {
  CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(AUTO_COMPACT_WINDOW),
};

function commands(prompt: string): readonly string[] {
  const lines = prompt.split('\n').filter((line) => line.startsWith('DO:'));
  return lines.flatMap((line) =>
    line.startsWith('DO:AGENT ') ? [line] : line.split(/ THEN (?=DO:)/),
  );
}

function toolCall(line: string): ToolCall {
  const [, verb, rest] = /^DO:(\w+) (.*)$/.exec(line) ?? [];
  if (verb === undefined || rest === undefined)
    throw new Error(`not a command of the stand-in: ${line}`);
  const space = rest.indexOf(' ');
  const [first, more] =
    space < 0 ? [rest, ''] : [rest.slice(0, space), rest.slice(space + 1)];
  switch (verb) {
    case 'READ':
      return { name: 'Read', input: { file_path: rest } };
    case 'WRITE':
      return { name: 'Write', input: { file_path: first, content: more } };
    case 'EDIT': {
      const [from = '', to = ''] = more.split(' => ');
      return {
        name: 'Edit',
        input: { file_path: first, old_string: from, new_string: to },
      };
    }
    case 'BASH':
      return {
        name: 'Bash',
        input: { command: rest, description: 'scripted' },
      };
    case 'AGENT':
      return {
        name: 'Agent',
        input: {
          description: 'scripted',
          prompt: rest,
          subagent_type: 'general-purpose',
          run_in_background: false,
        },
      };
    case 'MCP':
      return { name: first, input: more === '' ? {} : JSON.parse(more) };
    default:
      throw new Error(`the stand-in cannot do ${verb}`);
  }
}
