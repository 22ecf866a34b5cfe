import { isObject } from '../../util/json.ts';
import type { PermissionDenial, TurnResult } from '../client/stream-message.ts';
import type { RunLoss } from '../step/run-loss.ts';
import type { TurnEvidence } from './turn-evidence.ts';

/** Where a run stands, as far as a turn is judged by it. */
export interface RunMoment {
  /** The position that the run is at; null if it is over. */
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
  | { kind: 'stop'; stop: TurnStop };

/** What went wrong outside of the agent's work. */
export type Trouble = 'overloaded' | 'rate_limit' | 'connection' | 'crash' | 'silence';

export type TurnStop =
  | RunLoss
  | { reason: 'permission'; denials: PermissionDenial[] }
  | { reason: 'authentication'; status: number | null; words: string }
  | { reason: 'usage_limit'; resetsAt: number | null; words: string }
  | { reason: 'api'; status: number | null; words: string; tries: number }
  | { reason: 'budget' }
  | { reason: 'step_time' }
  | { reason: 'time' }
  | { reason: 'interrupted' }
  | { reason: 'log' }
  | { reason: 'client'; words: string };

export interface JudgedTurn {
  before: string;
  after: RunMoment;
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
      return stop({ reason: end.limit === 'step' ? 'step_time' : 'time' });
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
  const failure = failedRequest(evidence);
  if (failure !== null) return failure;
  const report = reportOf(result);
  if (report !== null) return report;
  if (result.denials.length > 0) return stop({ reason: 'permission', denials: result.denials });
  return wasAskedAgain ? { kind: 'unfinished' } : { kind: 'ask_again' };
}

function stop(reason: TurnStop): Verdict {
  return { kind: 'stop', stop: reason };
}

function exited({
  code,
  signal,
  words,
}: {
  code: number | null;
  signal: string | null;
  words: string;
}): Verdict {
  const how = signal === null ? `exited with ${code}` : `was ended by ${signal}`;
  const why = words === '' ? '' : `: ${words}`;
  if (/not logged in|please run \/login|invalid api key/i.test(words))
    return stop({ reason: 'authentication', status: null, words });
  return tryAgain('crash', `Claude Code ${how}${why}`);
}

const NOT_LOGGED_IN = /not logged in|please run \/login|invalid api key|failed to authenticate/i;
/** As the client words it when the plan of the user is used up; some versions put the time of the reset behind a bar. */
const USAGE_LIMIT = /usage limit reached|hit your [\w\s-]{0,20}limit|limit reached\b.*\breset/i;
const RETRIED_STATUS = new Set([408, 409, 500, 502, 503, 504, 520, 522, 524, 529]);

/** Null if the request did not fail. */
function failedRequest({ result, apiError, usageLimit }: TurnEvidence): Verdict | null {
  if (result === null ? apiError === null : !result.isError) return null;
  const words =
    result?.text !== undefined && result.text !== '' ? result.text : (apiError?.text ?? '');
  const status = result?.apiStatus ?? apiError?.status ?? null;
  const error = apiError?.error ?? '';
  if (
    status === 401 ||
    status === 403 ||
    error === 'authentication_failed' ||
    NOT_LOGGED_IN.test(words)
  )
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

function tryAgain(why: Trouble, words: string, status: number | null = null): Verdict {
  return { kind: 'try_again', why, words, status };
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
  return {
    kind: 'gave_up',
    reason:
      typeof reason === 'string' && reason.trim() !== ''
        ? reason.trim()
        : 'the agent reported that it is not finished',
  };
}
