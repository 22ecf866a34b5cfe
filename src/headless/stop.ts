import { formatDuration } from '../text/relative-time.ts';
import { sanitizeLine, truncate } from '../text/sanitize.ts';
import { unreachable } from '../text/unreachable.ts';
import type { Stopped } from './event-types.generated.ts';
import type { RunOptions } from './setup.ts';

/** Why the driver stops: the reason for programs, the rest for people. */
export interface Stop {
  reason: Stopped['reason'];
  message: string;
  /** What to do before the run can go on. */
  advice?: string;
  /** In place of the advice and of the command that continues the run. */
  hint?: string;
  /** What waits for a person's answer. */
  wait?: string;
}

/** Of a run that stops for another reason. */
const FAILED_CODE = 1;

/** `signalCode` is that of the signal that interrupted the run, if one did. */
export function exitCodeOf(
  reason: Stopped['reason'],
  signalCode: number | null,
): number {
  if (reason === 'interrupted' && signalCode !== null) return signalCode;
  return EXIT_CODES[reason] ?? FAILED_CODE;
}

const EXIT_CODES: Partial<Record<Stopped['reason'], number>> = {
  done: 0,
  step: 0,
  approval: 3,
  tasks: 3,
  waiting: 3,
  budget: 4,
  time: 4,
  step_time: 4,
  interrupted: 130,
};

export const INTERRUPTED: Stop = {
  reason: 'interrupted',
  message: 'interrupted; the step is not finished',
};

/** What the user has allowed is used up. */
export function limitStop(
  reason: 'budget' | 'time' | 'step_time',
  { maxCost = 0, maxTime = 0, stepTime = 0 }: Partial<RunOptions>,
): Stop {
  switch (reason) {
    case 'budget':
      return { reason, message: `the budget of $${maxCost} is used up` };
    case 'time': {
      const time = formatDuration(maxTime);
      return { reason, message: `the time of ${time} is used up` };
    }
    case 'step_time': {
      const time = formatDuration(stepTime);
      return {
        reason,
        message: `the step took longer than ${time} and was interrupted`,
        advice: 'give it more time with --step-time',
      };
    }
    default:
      return unreachable(reason);
  }
}

const MAX_WORDS_CHARS = 300;

/** Words of others in a message: one line, and not a long one. */
export function oneLine(text: string): string {
  return truncate(sanitizeLine(text), MAX_WORDS_CHARS);
}

export function clientStop(words: string): Stop {
  return {
    reason: 'client',
    message: oneLine(words),
    advice: 'look at the end of the log, and whether `claude` starts by itself',
  };
}

/** `tries` counts the requests in a row that have failed; the client's own words say the rest. */
export function apiStop(
  status: number | null,
  words: string,
  tries: number,
): Stop {
  const { problem, advice } = apiProblem(status);
  const often = tries > 1 ? `, ${tries} times in a row` : '';
  const details = words === '' ? '' : `: ${oneLine(words)}`;
  return { reason: 'api', message: `${problem}${often}${details}`, advice };
}

const NOT_FOUND = 404;
const CONTENT_TOO_LARGE = 413;
const TOO_MANY_REQUESTS = 429;
const FIRST_SERVER_ERROR = 500;

/** `status` is null if the API was not reached. */
function apiProblem(status: number | null): {
  problem: string;
  advice: string;
} {
  if (status === null)
    return {
      problem: 'the API cannot be reached',
      advice:
        'check your network and proxy, and ANTHROPIC_BASE_URL if it is set',
    };
  if (status === NOT_FOUND)
    return {
      problem: 'the model does not exist, or your account may not use it',
      advice: 'choose another --model',
    };
  if (status === CONTENT_TOO_LARGE)
    return {
      problem: 'the conversation is too large for a request',
      advice:
        'give the step `context: clear` or `context: compact`, or let it read less at a time',
    };

  const waitAdvice =
    'wait some minutes; https://status.claude.com shows whether it lasts';
  if (status === TOO_MANY_REQUESTS)
    return {
      problem: 'the API limits how many requests you send',
      advice: waitAdvice,
    };
  if (status >= FIRST_SERVER_ERROR)
    return { problem: 'the API is failing', advice: waitAdvice };
  return {
    problem: 'the API refused the request',
    advice: 'correct what it says',
  };
}
