import { isObject, parseJson, type JsonObject } from '../text/json.ts';

/** A line of the client's stream, as far as the driver uses it. */
export type StreamMessage =
  | { kind: 'tool'; name: string; input: JsonObject; isOfSubAgent: boolean }
  | { kind: 'usage'; message: string; usage: TokenUsage }
  | { kind: 'api_error'; error: string; text: string }
  | { kind: 'compacted'; tokensBefore: number | null }
  | { kind: 'compaction_failed'; why: string }
  | { kind: 'usage_limit'; resetsAt: number | null }
  | { kind: 'response'; request: string; body: JsonObject }
  | TurnResult;

/** `input` is all that a request has sent, from the cache or not: it fills the window. */
export type TokenUsage = { input: number; output: number };

/** What the client says at the end of a turn. Neither its exit code nor `subtype` tells success from failure. */
export type TurnResult = ReturnType<typeof resultOf>;

/** A longer line is not a message of the client; keeping it would let a broken stream fill the memory. */
const MAX_LINE = 64 * 1024 * 1024;

/** Takes the stream in pieces, and calls back for each complete line. Only `\n` ends one: JSON may contain U+2028. */
export function splitLines(
  onLine: (line: string) => void,
): (piece: string) => void {
  let rest = '';
  return (piece) => {
    if (rest.length > MAX_LINE) rest = '';
    rest += piece;
    if (!piece.includes('\n')) return;
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  };
}

/** The messages in one line; none for a line of an unknown type, half a line, or one that is not JSON. */
export function parseStreamLine(line: string): StreamMessage[] {
  const json = parseJson(line);
  if (!isObject(json)) return [];
  switch (json['type']) {
    case 'system':
      return systemMessages(json);
    case 'assistant':
      return assistantMessages(json);
    case 'result':
      return [resultOf(json)];
    case 'control_response': {
      const response = object(json['response']);
      const body = object(response['response']);
      return [
        { kind: 'response', request: text(response['request_id']), body },
      ];
    }
    case 'rate_limit_event': {
      const { status, resetsAt } = object(json['rate_limit_info']);
      const seconds = number(resetsAt);
      if (status !== 'rejected') return [];
      return [
        {
          kind: 'usage_limit',
          resetsAt: seconds === null ? null : seconds * 1000,
        },
      ];
    }
    default:
      return [];
  }
}

function systemMessages(json: JsonObject): StreamMessage[] {
  if (json['subtype'] === 'compact_boundary')
    return [
      {
        kind: 'compacted',
        tokensBefore: number(object(json['compact_metadata'])['pre_tokens']),
      },
    ];
  return json['subtype'] === 'status' && json['compact_result'] === 'failed'
    ? [{ kind: 'compaction_failed', why: text(json['compact_error']) }]
    : [];
}

function assistantMessages(json: JsonObject): StreamMessage[] {
  const { message, error } = json;
  if (!isObject(message)) return [];
  const isOfSubAgent = typeof json['parent_tool_use_id'] === 'string';
  const blocks = list(message['content']).filter(isObject);
  const tools = blocks
    .filter(({ type }) => type === 'tool_use')
    .map(({ name, input }): StreamMessage => {
      return {
        kind: 'tool',
        name: text(name),
        input: object(input),
        isOfSubAgent,
      };
    });
  if (typeof error === 'string') {
    const words = blocks.map((block) => text(block['text'])).join('\n');
    return [{ kind: 'api_error', error, text: words }, ...tools];
  }
  if (isOfSubAgent) return tools;
  const usage = usageOf(message['usage']);
  return [{ kind: 'usage', message: text(message['id']), usage }, ...tools];
}

function resultOf(json: JsonObject) {
  // What the client says if it could not begin the turn.
  const errors = list(json['errors']).filter(
    (error) => typeof error === 'string',
  );
  return {
    kind: 'result' as const,
    subtype: text(json['subtype']),
    isError: json['is_error'] === true,
    apiStatus: number(json['api_error_status']),
    text: text(json['result']) || errors.join('; '),
    turns: number(json['num_turns']) ?? 0,
    /** Of this process so far; some versions include what the session has cost before it was resumed. */
    totalCost: number(json['total_cost_usd']),
    usage: usageOf(json['usage']),
    contextWindow: contextWindowIn(json['modelUsage']),
    structured: json['structured_output'],
    denials: list(json['permission_denials'])
      .filter(isObject)
      .map((denial) => ({
        tool: text(denial['tool_name']),
        input: object(denial['tool_input']),
      })),
  };
}

/** Helpers of the client may use models with other windows: the one with the most input is that of the conversation. */
function contextWindowIn(models: unknown): number | null {
  const [main] = Object.values(object(models))
    .filter(isObject)
    .toSorted(
      (a, b) =>
        (number(b['inputTokens']) ?? 0) - (number(a['inputTokens']) ?? 0),
    );
  return number(main?.['contextWindow']);
}

/** The answer to `get_session_cost`, which is a text for people; null if it names no cost. */
export function sessionCost({
  text: words,
  total_cost_usd: total,
}: JsonObject): number | null {
  const cost = /Total cost:\s*\$(\d+(?:\.\d+)?)/.exec(text(words))?.[1];
  return cost === undefined ? number(total) : Number(cost);
}

function usageOf(usage: unknown): TokenUsage {
  const fields = object(usage);
  const inputs = [
    'input_tokens',
    'cache_read_input_tokens',
    'cache_creation_input_tokens',
  ];
  return {
    input: inputs.reduce((sum, name) => sum + (number(fields[name]) ?? 0), 0),
    output: number(fields['output_tokens']) ?? 0,
  };
}

const object = (value: unknown): JsonObject => (isObject(value) ? value : {});

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const text = (value: unknown): string =>
  typeof value === 'string' ? value : '';

const number = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
