import { isObject, parseJson, type JsonObject } from '../../util/json.ts';

/** A line of the client's stream, as far as the driver uses it. */
export type StreamMessage =
  | { kind: 'init'; session: string; model: string | null }
  | { kind: 'tool'; name: string; input: JsonObject; isOfSubAgent: boolean }
  | { kind: 'usage'; message: string; usage: TokenUsage; model: string | null }
  | { kind: 'api_retry'; status: number | null; error: string }
  | { kind: 'api_error'; error: string; text: string }
  | { kind: 'compacted'; tokensBefore: number | null }
  | { kind: 'compaction_failed'; why: string }
  | { kind: 'usage_limit'; resetsAt: number | null }
  | { kind: 'response'; request: string; body: JsonObject | null }
  | { kind: 'result'; result: TurnResult };

export interface TokenUsage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

export interface PermissionDenial {
  tool: string;
  input: JsonObject;
}

/** What the client says at the end of a turn. Neither its exit code nor `subtype` tells success from failure. */
export interface TurnResult {
  subtype: string;
  isError: boolean;
  apiStatus: number | null;
  text: string;
  turns: number;
  session: string | null;
  /** Of this process so far; some versions include what the session has cost before it was resumed. */
  totalCost: number | null;
  usage: TokenUsage;
  /** Of this turn alone, where the client tells. */
  turnCost: number | null;
  contextWindow: number | null;
  structured: unknown;
  denials: PermissionDenial[];
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
      return [{ kind: 'result', result: resultOf(json) }];
    case 'control_response':
      return responseMessages(json['response']);
    case 'rate_limit_event':
      return limitMessages(json['rate_limit_info']);
    default:
      return [];
  }
}

function systemMessages(json: JsonObject): StreamMessage[] {
  switch (json['subtype']) {
    case 'init':
      return [
        { kind: 'init', session: text(json['session_id']), model: textOrNull(json['model']) },
      ];
    case 'api_retry':
      return [
        { kind: 'api_retry', status: number(json['error_status']), error: text(json['error']) },
      ];
    case 'compact_boundary': {
      const metadata = json['compact_metadata'];
      const tokens = isObject(metadata) ? number(metadata['pre_tokens']) : null;
      return [{ kind: 'compacted', tokensBefore: tokens }];
    }
    case 'status':
      return json['compact_result'] === 'failed'
        ? [{ kind: 'compaction_failed', why: text(json['compact_error']) }]
        : [];
    default:
      return [];
  }
}

function assistantMessages(json: JsonObject): StreamMessage[] {
  const { message, error } = json;
  if (!isObject(message)) return [];
  const isOfSubAgent = typeof json['parent_tool_use_id'] === 'string';
  const content = Array.isArray(message['content']) ? message['content'] : [];
  const blocks = content.filter(isObject);
  const tools = blocks.flatMap((block): StreamMessage[] =>
    block['type'] === 'tool_use'
      ? [
          {
            kind: 'tool',
            name: text(block['name']),
            input: isObject(block['input']) ? block['input'] : {},
            isOfSubAgent,
          },
        ]
      : [],
  );
  const errors: StreamMessage[] =
    typeof error === 'string'
      ? [{ kind: 'api_error', error, text: blocks.map((block) => text(block['text'])).join('\n') }]
      : [];
  const usage: StreamMessage[] =
    isOfSubAgent || errors.length > 0
      ? []
      : [
          {
            kind: 'usage',
            message: text(message['id']),
            usage: usageOf(message['usage']),
            model: textOrNull(message['model']),
          },
        ];
  return [...usage, ...errors, ...tools];
}

function resultOf(json: JsonObject): TurnResult {
  const denials = Array.isArray(json['permission_denials']) ? json['permission_denials'] : [];
  return {
    subtype: text(json['subtype']),
    isError: json['is_error'] === true,
    apiStatus: number(json['api_error_status']),
    text: text(json['result']) || errorsIn(json['errors']),
    turns: number(json['num_turns']) ?? 0,
    session: textOrNull(json['session_id']),
    totalCost: number(json['total_cost_usd']),
    usage: usageOf(json['usage']),
    turnCost: costIn(json['model_usage_since_last_result']),
    contextWindow: contextWindowIn(json['modelUsage']),
    structured: json['structured_output'],
    denials: denials.filter(isObject).map((denial) => ({
      tool: text(denial['tool_name']),
      input: isObject(denial['tool_input']) ? denial['tool_input'] : {},
    })),
  };
}

/** What the client says if it could not begin the turn. */
function errorsIn(errors: unknown): string {
  return Array.isArray(errors)
    ? errors.filter((error) => typeof error === 'string').join('; ')
    : '';
}

/** Helpers of the client may use models with other windows: the one with the most input is that of the conversation. */
function contextWindowIn(models: unknown): number | null {
  const entries = isObject(models) ? Object.values(models).filter(isObject) : [];
  const [main] = entries.toSorted(
    (a, b) => (number(b['inputTokens']) ?? 0) - (number(a['inputTokens']) ?? 0),
  );
  return main === undefined ? null : number(main['contextWindow']);
}

function costIn(models: unknown): number | null {
  if (!isObject(models)) return null;
  const costs = Object.values(models).map((model) =>
    isObject(model) ? number(model['costUSD']) : null,
  );
  return costs.reduce<number | null>(
    (sum, cost) => (sum === null || cost === null ? null : sum + cost),
    0,
  );
}

/** The answer to `get_session_cost`, which is a text for people; null if it names no cost. */
export function sessionCost(body: JsonObject | null): number | null {
  const { text: words, total_cost_usd: total } = body ?? {};
  const cost = /Total cost:\s*\$(\d+(?:\.\d+)?)/.exec(text(words))?.[1];
  return cost === undefined ? number(total) : Number(cost);
}

function responseMessages(response: unknown): StreamMessage[] {
  if (!isObject(response)) return [];
  const body = isObject(response['response']) ? response['response'] : null;
  return [{ kind: 'response', request: text(response['request_id']), body }];
}

function limitMessages(info: unknown): StreamMessage[] {
  if (!isObject(info) || info['status'] !== 'rejected') return [];
  const seconds = number(info['resetsAt']);
  return [{ kind: 'usage_limit', resetsAt: seconds === null ? null : seconds * 1000 }];
}

function usageOf(usage: unknown): TokenUsage {
  const fields = isObject(usage) ? usage : {};
  return {
    input: number(fields['input_tokens']) ?? 0,
    output: number(fields['output_tokens']) ?? 0,
    cacheRead: number(fields['cache_read_input_tokens']) ?? 0,
    cacheWrite: number(fields['cache_creation_input_tokens']) ?? 0,
  };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
