import { apiStop, oneLine, type Stop } from './stop.ts';
import type { Trouble, TurnEvidence, Verdict } from './turn.ts';

/** What the client writes where it has no key, or one that is not accepted. */
const NOT_LOGGED_IN =
  /not logged in|please run \/login|invalid api key|failed to authenticate/i;

/**
 * What the client writes when the plan of the user is used up, such as "Claude AI usage limit reached|1767225600",
 * "You've hit your weekly limit" or "5-hour limit reached ∙ resets 3pm".
 */
const USAGE_LIMIT =
  /usage limit reached|hit your [\w\s-]{0,20}limit|limit reached\b.*\breset/i;

/** Some versions put the time of the reset behind a bar, in seconds: "usage limit reached|1767225600". */
const RESET_SECONDS = /\|(\d{10})\b/;

const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const TOO_MANY_REQUESTS = 429;
/** Not of the standard: the API answers with it when it has too much to do. */
const OVERLOADED = 529;

/** Time-outs, conflicts and failures of the server or of a proxy before it (520 to 524), which pass. */
const PASSING_FAILURES: ReadonlySet<number> = new Set([
  408, 409, 500, 502, 503, 504, 520, 522, 524,
]);

/** What follows from a request to the API that failed; null if none did. */
export function failedRequest(evidence: TurnEvidence): Verdict | null {
  const { result, api_error: apiError, usage_limit: usageLimit } = evidence;
  const hasFailed =
    result === undefined ? apiError !== undefined : result.isError;
  if (!hasFailed) return null;

  const words = result?.text || (apiError?.text ?? '');
  const status = result?.apiStatus ?? null;
  const error = apiError?.error ?? '';

  const isLoginRefused =
    status === UNAUTHORIZED ||
    status === FORBIDDEN ||
    error === 'authentication_failed';
  if (isLoginRefused || saysNotLoggedIn(words))
    return { kind: 'stop', stop: loginStop(status, words) };

  if (usageLimit !== undefined || USAGE_LIMIT.test(words))
    return usageLimitStop(usageLimit?.resetsAt ?? resetTimeIn(words), words);

  const trouble = passingTrouble(status, error);
  if (trouble === null)
    return { kind: 'stop', stop: apiStop(status, words, 1) };
  return { kind: 'try_again', words, ...trouble };
}

export function saysNotLoggedIn(words: string): boolean {
  return NOT_LOGGED_IN.test(words);
}

/** `status` is null if the client could not even ask the API. */
export function loginStop(status: number | null, words: string): Stop {
  const clientWords = oneLine(words);
  if (status === FORBIDDEN)
    return {
      reason: 'authentication',
      message: `your account or key may not use this API or model: ${clientWords}`,
      advice:
        'check the rights of the account or key, or choose another model with --model',
    };
  const key = status === UNAUTHORIZED ? ', or its key is not accepted' : '';
  return {
    reason: 'authentication',
    message: `Claude Code is not logged in${key}: ${clientWords}`,
    advice: 'log in with `claude` and /login, or correct ANTHROPIC_API_KEY',
  };
}

/** In milliseconds; null if the words name no time. */
function resetTimeIn(words: string): number | null {
  const seconds = RESET_SECONDS.exec(words)?.[1];
  return seconds === undefined ? null : Number(seconds) * 1000;
}

function usageLimitStop(resetsAt: number | null, words: string): Verdict {
  const until =
    resetsAt === null ? '' : ` until ${new Date(resetsAt).toISOString()}`;
  return {
    kind: 'stop',
    stop: {
      reason: 'usage_limit',
      message: `your usage limit is reached${until}: ${oneLine(words)}`,
      advice: 'wait for its reset, which --wait-limits does by itself',
    },
    resetsAt,
  };
}

/** Why a request can be repeated after a while; null if it would fail again. */
function passingTrouble(
  status: number | null,
  error: string,
): { why: Trouble; status: number | null } | null {
  if (status === TOO_MANY_REQUESTS || error === 'rate_limit')
    return { why: 'rate_limit', status: status ?? TOO_MANY_REQUESTS };
  if (status === OVERLOADED || error === 'overloaded')
    return { why: 'overloaded', status: status ?? OVERLOADED };
  // Without a status, the request did not reach the API.
  if (status === null || PASSING_FAILURES.has(status))
    return { why: 'connection', status };
  return null;
}
