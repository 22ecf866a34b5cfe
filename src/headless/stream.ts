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
export interface TurnResult {
  kind: 'result';
  subtype: string;
  isError: boolean;
  /** The HTTP status of a request that failed. */
  apiStatus: number | null;
  text: string;
  turns: number;
  /** Of this process so far, in dollars; some versions include what the session has cost before it was resumed. */
  totalCost: number | null;
  usage: TokenUsage;
  /** In tokens. */
  contextWindow: number | null;
  /** The report that was asked for with a schema. */
  structured: unknown;
  /** Tools that the client did not permit. */
  denials: { tool: string; input: JsonObject }[];
}

/** A longer line is not a message of the client; keeping it would let a broken stream fill the memory. */
const MAX_LINE_CHARS = 64 * 1024 * 1024;

/** Takes the stream in pieces, and calls back for each complete line. Only `\n` ends one: JSON may contain U+2028. */
export function splitLines(
  onLine: (line: string) => void,
): (piece: string) => void {
  let rest = '';
  return (piece) => {
    if (rest.length > MAX_LINE_CHARS) rest = '';
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
      return [
        {
          kind: 'response',
          request: text(response['request_id']),
          body: object(response['response']),
        },
      ];
    }
    case 'rate_limit_event': {
      // It also comes as a warning, long before the limit.
      const { status, resetsAt } = object(json['rate_limit_info']);
      if (status !== 'rejected') return [];
      const seconds = number(resetsAt);
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
  switch (json['subtype']) {
    case 'compact_boundary': {
      const { pre_tokens: tokensBefore } = object(json['compact_metadata']);
      return [{ kind: 'compacted', tokensBefore: number(tokensBefore) }];
    }
    case 'status':
      if (json['compact_result'] !== 'failed') return [];
      return [{ kind: 'compaction_failed', why: text(json['compact_error']) }];
    default:
      return [];
  }
}

function assistantMessages(json: JsonObject): StreamMessage[] {
  const { message, error } = json;
  if (!isObject(message)) return [];
  const isOfSubAgent = typeof json['parent_tool_use_id'] === 'string';
  const blocks = list(message['content']).filter(isObject);

  const messages: StreamMessage[] = [];
  if (typeof error === 'string') {
    const words = blocks.map((block) => text(block['text'])).join('\n');
    messages.push({ kind: 'api_error', error, text: words });
  } else if (!isOfSubAgent) {
    // The context of a sub-agent is another one.
    messages.push({
      kind: 'usage',
      message: text(message['id']),
      usage: usageOf(message['usage']),
    });
  }

  for (const block of blocks) {
    if (block['type'] !== 'tool_use') continue;
    messages.push({
      kind: 'tool',
      name: text(block['name']),
      input: object(block['input']),
      isOfSubAgent,
    });
  }
  return messages;
}

function resultOf(json: JsonObject): TurnResult {
  return {
    kind: 'result',
    subtype: text(json['subtype']),
    isError: json['is_error'] === true,
    apiStatus: number(json['api_error_status']),
    text: text(json['result']) || errorsIn(json),
    turns: number(json['num_turns']) ?? 0,
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

/** What the client says if it could not begin the turn. */
function errorsIn(json: JsonObject): string {
  return list(json['errors'])
    .filter((error) => typeof error === 'string')
    .join('; ');
}

/** Helpers of the client may use models with other windows: the one with the most input is that of the conversation. */
function contextWindowIn(modelUsage: unknown): number | null {
  const models = Object.values(object(modelUsage)).filter(isObject);
  const inputOf = (model: JsonObject): number =>
    number(model['inputTokens']) ?? 0;
  const [main] = models.toSorted((a, b) => inputOf(b) - inputOf(a));
  return number(main?.['contextWindow']);
}

/** `Total cost:            $0.5512` */
const TOTAL_COST = /Total cost:\s*\$(\d+(?:\.\d+)?)/;

/** The answer to `get_session_cost`, which is a text for people; null if it names no cost. */
export function sessionCost(answer: JsonObject): number | null {
  const cost = TOTAL_COST.exec(text(answer['text']))?.[1];
  return cost === undefined ? number(answer['total_cost_usd']) : Number(cost);
}

function usageOf(usage: unknown): TokenUsage {
  const fields = object(usage);
  const tokens = (name: string): number => number(fields[name]) ?? 0;
  return {
    input:
      tokens('input_tokens') +
      tokens('cache_read_input_tokens') +
      tokens('cache_creation_input_tokens'),
    output: tokens('output_tokens'),
  };
}

function object(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
