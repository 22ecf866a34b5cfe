import { formatDuration } from '../text/relative-time.ts';
import { sanitizeLine, truncate } from '../text/sanitize.ts';
import type { Limits } from './context.ts';
import type { Stopped } from './event-types.generated.ts';

/** Why the driver stops: the reason for programs, the rest for people. */
export interface Stop {
  reason: Stopped['reason'];
  message: string;
  /** What to do before the run can go on. */
  advice?: string;
  /** In place of the advice and of the command that continues the run. */
  hint?: string;
}

/** 1 for the others. */
export const EXIT_CODES: Partial<Record<Stopped['reason'], number>> = {
  done: 0,
  step: 0,
  approval: 3,
  tasks: 3,
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
  { maxCost = 0, maxTime = 0, stepTime = 0 }: Limits,
): Stop {
  if (reason === 'budget') {
    const message = `the budget of $${maxCost} is used up`;
    return { reason, message, advice: 'choose another one with --max-cost' };
  }
  if (reason === 'time')
    return { reason, message: `the time of ${formatDuration(maxTime)} is used up` };
  const message = `the step took longer than ${formatDuration(stepTime)} and was interrupted`;
  return { reason, message, advice: 'give it more time with --step-time' };
}

const MAX_WORDS = 300;

/** Words of others in a message: one line, and not a long one. */
export function oneLine(text: string): string {
  return truncate(sanitizeLine(text), MAX_WORDS);
}

export function clientStop(words: string): Stop {
  const advice = 'look at the end of the log, and whether `claude` starts by itself';
  return { reason: 'client', message: oneLine(words), advice };
}

/** `tries` counts the requests in a row that have failed; the client's own words say the rest. */
export function apiStop(status: number | null, words: string, tries: number): Stop {
  const [what, advice] = apiTrouble(status);
  const often = tries > 1 ? `, ${tries} times in a row` : '';
  const message = `${what}${often}${words === '' ? '' : `: ${oneLine(words)}`}`;
  return { reason: 'api', message, advice };
}

function apiTrouble(status: number | null): [what: string, advice: string] {
  if (status === null)
    return [
      'the API cannot be reached',
      'check your network and proxy, and ANTHROPIC_BASE_URL if it is set',
    ];
  if (status === 404)
    return ['the model does not exist, or your account may not use it', 'choose another --model'];
  if (status === 413)
    return [
      'the conversation is too large for a request',
      'give the step `context: clear` or `context: compact`, or let it read less at a time',
    ];
  if (status !== 429 && status < 500)
    return ['the API refused the request', 'correct what it says'];
  return [
    status === 429 ? 'the API limits how many requests you send' : 'the API is failing',
    'wait some minutes; https://status.claude.com shows whether it lasts',
  ];
}
