export interface Reply {
  readonly text?: string;
  readonly tools?: readonly ToolCall[];
  /** What the client believes the context holds: above its window it compacts before the next turn. */
  readonly inputTokens?: number;
  /** The API refuses the request instead. */
  readonly isRefused?: true;
}

export type ToolCall = {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
};

type Block =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
    };

interface WireMessage {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'assistant';
  readonly model: string;
  readonly content: readonly Block[];
  readonly stop_reason: string | null;
  readonly stop_sequence: null;
  readonly usage: {
    readonly input_tokens: number;
    readonly output_tokens: number;
  };
}

/** The reply as one JSON message. `serial` keeps the ids of a conversation apart. */
export function wireMessage(
  reply: Reply,
  model: string,
  serial: number,
): WireMessage {
  const tools = reply.tools ?? [];
  const text: Block[] =
    reply.text === undefined ? [] : [{ type: 'text', text: reply.text }];
  return {
    id: `msg_${serial}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [
      ...text,
      ...tools.map((tool, index): Block => ({
        type: 'tool_use',
        id: `toolu_${serial}_${index}`,
        ...tool,
      })),
    ],
    stop_reason: tools.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: reply.inputTokens ?? 1000, output_tokens: 10 },
  };
}

/** The same message as the server-sent events that the client asks for in every turn. */
export function wireEvents(message: WireMessage): string {
  const { content, stop_reason, stop_sequence, usage } = message;
  const events = [
    {
      type: 'message_start',
      message: { ...message, content: [], stop_reason: null },
    },
    ...content.flatMap(blockEvents),
    {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence },
      usage: { output_tokens: usage.output_tokens },
    },
    { type: 'message_stop' },
  ];
  return events
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}

function blockEvents(block: Block, index: number) {
  const empty =
    block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} };
  const delta =
    block.type === 'text'
      ? { type: 'text_delta', text: block.text }
      : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
  return [
    { type: 'content_block_start', index, content_block: empty },
    { type: 'content_block_delta', index, delta },
    { type: 'content_block_stop', index },
  ];
}
