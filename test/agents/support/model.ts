import { createServer, type IncomingMessage, type Server } from 'node:http';

/** What the scripted model does in one turn of the agent's work. */
export type Move = { run: string } | { say: string };

/** A request as it came. Those that offer no tools and ask for no summary ask for a title, for example. */
type Seen = { body: string; kind: 'work' | 'summary' | 'other' };

/**
 * Stands in for the models of all agents: it speaks the Responses API (Codex), Chat Completions (Qwen Code, OpenCode)
 * and Gemini's own. A move is used up by a request that offers tools; `fill` is the usage that its reply reports.
 */
export class Model {
  private readonly seen: Seen[] = [];
  readonly #moves: { move: Move; fill: number }[] = [];
  readonly #server: Server;

  private constructor(private readonly shellTool: string) {
    this.#server = createServer((request, response) => {
      void readAll(request).then((body) => {
        const { status, type, text } = this.#answer(request.url ?? '', body);
        response.writeHead(status, { 'content-type': type });
        response.end(text);
      });
    });
  }

  static async start(shellTool: string): Promise<Model> {
    const model = new Model(shellTool);
    await new Promise<void>((resolve) => {
      model.#server.listen(0, '127.0.0.1', resolve);
    });
    return model;
  }

  get address(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  }

  /** The next moves. The last of them reports that the context is full, if it is to be compacted. */
  plan(moves: readonly Move[], isFullAfter = -1): void {
    for (const [index, move] of moves.entries())
      this.#moves.push({ move, fill: index === isFullAfter ? FULL : 1_000 });
  }

  /** The requests of the agent's work since the last call, without those for summaries and titles. */
  takeWork(): string[] {
    return this.take().flatMap(({ body, kind }) =>
      kind === 'work' ? [body] : [],
    );
  }

  /** All requests since the last call. */
  take(): Seen[] {
    return this.seen.splice(0);
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answer(
    url: string,
    body: string,
  ): { status: number; type: string; text: string } {
    const request = JSON.parse(body || '{}') as {
      tools?: unknown[];
      stream?: boolean;
    };
    const hasTools = (request.tools?.length ?? 0) > 0;
    const isSummary = (hasTools ? SUMMARISER : WITHOUT_TOOLS).test(body);
    const kind = kindOf(isSummary, hasTools);
    this.seen.push({ body, kind });
    const next = kind === 'work' ? this.#moves.shift() : undefined;
    const { move, fill } = next ?? {
      move: { say: SUMMARY },
      fill: isSummary ? 150_000 : 1_000,
    };
    if (/countTokens/.test(url)) return json({ totalTokens: 100 });
    if (url.endsWith('/responses')) return stream(responsesEvents(move, fill));
    if (/generateContent/i.test(url)) {
      const reply = geminiReply(move, fill, this.shellTool);
      return /stream/i.test(url) ? stream([reply]) : json(reply);
    }
    if (!/chat\/completions/.test(url)) return { ...json({}), status: 404 };
    const [choice, finish] = chatChoice(move, this.shellTool);
    const usage = {
      prompt_tokens: fill,
      completion_tokens: 10,
      total_tokens: fill + 10,
    };
    const base = { id: 'x', created: 1, model: 'm' };
    if (request.stream !== true)
      return json({
        ...base,
        choices: [{ index: 0, message: choice, finish_reason: finish }],
        usage,
      });
    const chunk = { ...base, object: 'chat.completion.chunk' };
    return stream([
      { ...chunk, choices: [{ index: 0, delta: choice, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: finish }] },
      { ...chunk, choices: [], usage },
    ]);
  }
}

const SUMMARISER =
  /CONTEXT CHECKPOINT COMPACTION|component that summarizes|produce the <state_snapshot> XML/;
const WITHOUT_TOOLS = /state_snapshot|Here is the conversation so far/;
/** Above the threshold of each agent, as the tests configure it. */
const FULL = 195_000;
const SUMMARY = '<state_snapshot>The work so far.</state_snapshot>';
let calls = 0;

function kindOf(isSummary: boolean, hasTools: boolean): Seen['kind'] {
  if (isSummary) return 'summary';
  return hasTools ? 'work' : 'other';
}

async function readAll(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

function json(value: object): { status: number; type: string; text: string } {
  return { status: 200, type: 'application/json', text: JSON.stringify(value) };
}

function stream(events: readonly object[]): {
  status: number;
  type: string;
  text: string;
} {
  const lines = events.map((event) => {
    const name = 'type' in event ? `event: ${String(event.type)}\n` : '';
    return `${name}data: ${JSON.stringify(event)}\n\n`;
  });
  return { status: 200, type: 'text/event-stream', text: lines.join('') };
}

function responsesEvents(move: Move, fill: number): object[] {
  calls += 1;
  const item =
    'run' in move
      ? {
          type: 'function_call',
          id: `f${calls}`,
          call_id: `c${calls}`,
          name: 'exec_command',
          arguments: JSON.stringify({ cmd: move.run }),
        }
      : {
          type: 'message',
          id: `m${calls}`,
          role: 'assistant',
          content: [{ type: 'output_text', text: move.say }],
        };
  const usage = {
    input_tokens: fill,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 10,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: fill + 10,
  };
  return [
    { type: 'response.created', response: { id: `r${calls}` } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: `r${calls}`, usage } },
  ];
}

function chatChoice(move: Move, tool: string): [object, string] {
  calls += 1;
  if ('say' in move) return [{ role: 'assistant', content: move.say }, 'stop'];
  const words = JSON.stringify({
    command: move.run,
    description: 'x',
    is_background: false,
  });
  const call = {
    index: 0,
    id: `c${calls}`,
    type: 'function',
    function: { name: tool, arguments: words },
  };
  return [
    { role: 'assistant', content: null, tool_calls: [call] },
    'tool_calls',
  ];
}

function geminiReply(move: Move, fill: number, tool: string): object {
  const part =
    'run' in move
      ? {
          functionCall: {
            name: tool,
            args: { command: move.run, description: 'x' },
          },
        }
      : { text: move.say };
  return {
    candidates: [
      {
        content: { role: 'model', parts: [part] },
        finishReason: 'STOP',
        index: 0,
      },
    ],
    usageMetadata: {
      // Gemini's window is a million tokens.
      promptTokenCount: fill === FULL ? 600_000 : fill,
      candidatesTokenCount: 5,
      totalTokenCount: fill + 5,
    },
  };
}
