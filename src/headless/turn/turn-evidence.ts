import { unreachable } from '../../util/unreachable.ts';
import type { StreamMessage, TokenUsage, TurnResult } from '../client/stream-message.ts';

/** How a turn came to its end. */
export type TurnEnd =
  | { kind: 'result' }
  | { kind: 'exited'; code: number | null; signal: string | null; words: string }
  | { kind: 'not_started'; reason: string }
  /** `--step-time` or `--max-time` was used up. */
  | { kind: 'out_of_time'; limit: 'step' | 'run' }
  /** Nothing came from the client for a long time. */
  | { kind: 'silent'; minutes: number }
  /** What the client writes can no longer be kept. */
  | { kind: 'log_refused' }
  /** The run was ended, or belongs to somebody else. */
  | { kind: 'run_lost' }
  | { kind: 'interrupted' };

/** What is known about a turn from the client's stream. */
export interface TurnEvidence {
  session: string | null;
  model: string | null;
  result: TurnResult | null;
  compaction: { tokensBefore: number | null } | null;
  compactionFailure: string | null;
  apiError: { error: string; text: string; status: number | null } | null;
  usageLimit: { resetsAt: number | null } | null;
  toolCalls: number;
  /** Input of the last request: how much of the window the conversation fills. */
  contextTokens: number | null;
  contextWindow: number | null;
  usage: TokenUsage;
  end: TurnEnd;
}

export const NO_USAGE: TokenUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function noEvidence(): TurnEvidence {
  return {
    session: null,
    model: null,
    result: null,
    compaction: null,
    compactionFailure: null,
    apiError: null,
    usageLimit: null,
    toolCalls: 0,
    contextTokens: null,
    contextWindow: null,
    usage: NO_USAGE,
    end: { kind: 'interrupted' },
  };
}

/** The evidence with one more message of the stream. */
export function withMessage(evidence: TurnEvidence, message: StreamMessage): TurnEvidence {
  switch (message.kind) {
    case 'init':
      return { ...evidence, session: message.session, model: message.model ?? evidence.model };
    case 'tool':
      return { ...evidence, toolCalls: evidence.toolCalls + 1 };
    case 'usage':
      return { ...evidence, contextTokens: contextTokens(message.usage) };
    case 'api_retry':
      return evidence;
    case 'api_error':
      return {
        ...evidence,
        apiError: { error: message.error, text: message.text, status: null },
      };
    case 'compacted':
      return { ...evidence, compaction: { tokensBefore: message.tokensBefore } };
    case 'compaction_failed':
      return { ...evidence, compactionFailure: message.why };
    case 'usage_limit':
      return { ...evidence, usageLimit: { resetsAt: message.resetsAt } };
    case 'response':
      return evidence;
    case 'result': {
      const { result } = message;
      return {
        ...evidence,
        result,
        session: result.session ?? evidence.session,
        usage: result.usage,
        contextWindow: result.contextWindow ?? evidence.contextWindow,
        end: { kind: 'result' },
      };
    }
    default:
      return unreachable(message);
  }
}

export function totalTokens({ input, output, cacheRead, cacheWrite }: TokenUsage): number {
  return input + output + cacheRead + cacheWrite;
}

/** How much of the window a request has filled, as the client itself counts it. */
export function contextTokens({ input, cacheRead, cacheWrite }: TokenUsage): number {
  return input + cacheRead + cacheWrite;
}
