import { isObject } from '../text/json.ts';
import type { Retry } from './event-types.generated.ts';
import type { RunLoss, Stop } from './stop.ts';
import type { TokenUsage, TurnResult } from './stream.ts';

/** What went wrong outside of the agent's work. */
export type Trouble = Retry['why'];

/** How a turn came to its end. */
export type TurnEnd =
  | { kind: 'result' }
  | { kind: 'exited'; code: number | null; signal: string | null; words: string }
  | { kind: 'not_started'; reason: string }
  /** `--step-time` or `--max-time` was used up. */
  | { kind: 'out_of_time'; limit: 'step_time' | 'time' }
  /** Nothing came from the client for a long time. */
  | { kind: 'silent'; minutes: number }
  /** What the client writes can no longer be kept. */
  | { kind: 'log_refused' }
  /** The run was ended, or belongs to somebody else. */
  | { kind: 'run_lost' }
  | { kind: 'interrupted' };

/** What is known about a turn from the client's stream. */
export interface TurnEvidence {
  result: TurnResult | null;
  compaction: { tokensBefore: number | null } | null;
  compactionFailure: string | null;
  apiError: { error: string; text: string } | null;
  usageLimit: { resetsAt: number | null } | null;
  /** Of the last request. */
  lastUsage: TokenUsage | null;
  end: TurnEnd;
}

export const NO_EVIDENCE: TurnEvidence = {
  result: null,
  compaction: null,
  compactionFailure: null,
  apiError: null,
  usageLimit: null,
  lastUsage: null,
  end: { kind: 'interrupted' },
};

/** Where a run stands, as far as a turn is judged by it. */
export interface RunPosition {
  /** Null if the run is over. */
  position: string | null;
  /** The agent has asked for a move that the driver makes. */
  isMoveRequested: boolean;
}

/** What a turn means for its step. */
export type Verdict =
  /** The agent moved the run, or ended it. */
  | { kind: 'moved' }
  /** The agent asked for the move of a step with a gate. */
  | { kind: 'requested' }
  /** A structured report says that the step is done. */
  | { kind: 'reported'; output: string | null }
  /** A structured report says that it cannot be done. */
  | { kind: 'gave_up'; reason: string }
  /** The turn ended with neither: the agent is asked once more. */
  | { kind: 'ask_again' }
  /** It was asked once more: the step has failed. */
  | { kind: 'unfinished' }
  /** Not the agent's fault: the turn is repeated after a while. */
  | { kind: 'try_again'; why: Trouble; words: string; status: number | null }
  | { kind: 'stop'; stop: Stop };

export interface JudgedTurn {
  before: string;
  after: RunPosition;
  /** Why the run cannot be driven on; null if it can. */
  loss: RunLoss | null;
  evidence: TurnEvidence;
  /** This turn was the answer to being asked once more. */
  wasAskedAgain: boolean;
}

/**
 * What the run says counts first, then what the client reported, never a word of the agent's text. A client that
 * fails after the agent has moved the run has done its work.
 */
export function judgeTurn({ before, after, loss, evidence, wasAskedAgain }: JudgedTurn): Verdict {
  if (loss !== null) return stop(loss);
  if (after.position !== before) return { kind: 'moved' };
  if (after.isMoveRequested) return { kind: 'requested' };
  const { end, result } = evidence;
  switch (end.kind) {
    case 'run_lost':
      return tryAgain('crash', 'the run was away for a moment');
    case 'log_refused':
      return stop({ reason: 'log' });
    case 'interrupted':
      return stop({ reason: 'interrupted' });
    case 'out_of_time':
      return stop({ reason: end.limit });
    case 'silent':
      return tryAgain('silence', `nothing came from Claude Code for ${end.minutes} minutes`);
    case 'not_started':
      return stop({ reason: 'client', words: `Claude Code did not start: ${end.reason}` });
    case 'exited':
      return failedRequest(evidence) ?? exited(end);
    case 'result':
      break;
  }
  if (result === null) return tryAgain('crash', 'no result');
  if (result.subtype === 'error_max_budget_usd') return stop({ reason: 'budget' });
  const decided = failedRequest(evidence) ?? reportOf(result);
  if (decided !== null) return decided;
  if (result.denials.length > 0) return stop({ reason: 'permission', denials: result.denials });
  return wasAskedAgain ? { kind: 'unfinished' } : { kind: 'ask_again' };
}

function stop(reason: Stop): Verdict {
  return { kind: 'stop', stop: reason };
}

function tryAgain(why: Trouble, words: string, status: number | null = null): Verdict {
  return { kind: 'try_again', why, words, status };
}

const NOT_LOGGED_IN = /not logged in|please run \/login|invalid api key|failed to authenticate/i;
/** As the client words it when the plan of the user is used up; some versions put the time of the reset behind a bar. */
const USAGE_LIMIT = /usage limit reached|hit your [\w\s-]{0,20}limit|limit reached\b.*\breset/i;
const RETRIED_STATUS = new Set([408, 409, 500, 502, 503, 504, 520, 522, 524, 529]);

function exited({ code, signal, words }: Extract<TurnEnd, { kind: 'exited' }>): Verdict {
  if (NOT_LOGGED_IN.test(words)) return stop({ reason: 'authentication', status: null, words });
  const how = signal === null ? `exited with ${code}` : `was ended by ${signal}`;
  return tryAgain('crash', `Claude Code ${how}${words === '' ? '' : `: ${words}`}`);
}

/** Null if the request did not fail. */
function failedRequest({ result, apiError, usageLimit }: TurnEvidence): Verdict | null {
  if (result === null ? apiError === null : !result.isError) return null;
  const words = result?.text || (apiError?.text ?? '');
  const status = result?.apiStatus ?? null;
  const error = apiError?.error ?? '';
  const isLogin = status === 401 || status === 403 || error === 'authentication_failed';
  if (isLogin || NOT_LOGGED_IN.test(words))
    return stop({ reason: 'authentication', status, words });
  if (usageLimit !== null || USAGE_LIMIT.test(words)) {
    const resetsAt = usageLimit?.resetsAt ?? resetIn(words);
    return stop({ reason: 'usage_limit', resetsAt, words });
  }
  if (status === 429 || error === 'rate_limit') return tryAgain('rate_limit', words, status ?? 429);
  if (status === 529 || error === 'overloaded') return tryAgain('overloaded', words, status ?? 529);
  if (status === null || RETRIED_STATUS.has(status)) return tryAgain('connection', words, status);
  return stop({ reason: 'api', status, words, tries: 1 });
}

function resetIn(words: string): number | null {
  const seconds = /\|(\d{10})\b/.exec(words)?.[1];
  return seconds === undefined ? null : Number(seconds) * 1000;
}

/** A report counts only in the form that was asked for. */
function reportOf({ structured }: TurnResult): Verdict | null {
  if (!isObject(structured) || typeof structured['done'] !== 'boolean') return null;
  const { done, output, reason } = structured;
  if (done) return { kind: 'reported', output: typeof output === 'string' ? output : null };
  const why = typeof reason === 'string' ? reason.trim() : '';
  return { kind: 'gave_up', reason: why || 'the agent reported that it is not finished' };
}
