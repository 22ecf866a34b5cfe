import { unreachable } from '../../util/unreachable.ts';

/** Why the API has not answered, as far as the user can do something about it. */
export type ApiTrouble =
  | 'rate_limit'
  | 'overloaded'
  | 'server'
  | 'refused'
  | 'unreachable'
  | 'cut'
  | 'model'
  | 'too_large'
  | 'request';

/** From the status of the answer; without one, from how the client words what happened to the connection. */
export function apiTrouble(status: number | null, words: string): ApiTrouble {
  if (status === 429) return 'rate_limit';
  if (status === 529) return 'overloaded';
  if (status === 404) return 'model';
  if (status === 413) return 'too_large';
  if (status !== null && status >= 500) return 'server';
  if (status !== null) return 'request';
  if (/connection ?refused|ECONNREFUSED/i.test(words)) return 'refused';
  if (/ECONNRESET|EPIPE|was lost|terminated|closed unexpectedly|socket hang up/i.test(words))
    return 'cut';
  return 'unreachable';
}

/** What happened, and what the user can do before the run goes on. */
export function describeApiTrouble(trouble: ApiTrouble): { message: string; advice: string } {
  switch (trouble) {
    case 'rate_limit':
      return {
        message: 'the API limits how many requests you send',
        advice: 'wait some minutes, or end other sessions that use the same account',
      };
    case 'overloaded':
      return {
        message: 'the API is overloaded',
        advice: 'wait some minutes; https://status.claude.com shows whether it lasts',
      };
    case 'server':
      return {
        message: 'the API failed with an error of its own',
        advice:
          'wait some minutes; https://status.claude.com, or the operator of your gateway, knows whether it lasts',
      };
    case 'refused':
      return {
        message: 'the connection to the API was refused',
        advice: 'check ANTHROPIC_BASE_URL, your proxy and your firewall',
      };
    case 'unreachable':
      return {
        message: 'the API cannot be reached',
        advice: 'check your network, DNS and proxy, and ANTHROPIC_BASE_URL if it is set',
      };
    case 'cut':
      return {
        message: 'the connection to the API broke in the middle of an answer',
        advice: 'check your network, or the proxy for a limit on long answers',
      };
    case 'model':
      return {
        message: 'the model does not exist, or your account may not use it',
        advice: 'choose another one with --model',
      };
    case 'too_large':
      return {
        message: 'the conversation is too large for a request',
        advice:
          'give the step `context: clear` or `context: compact`, or let it read less at a time',
      };
    case 'request':
      return {
        message: 'the API refused the request',
        advice: 'correct what it says',
      };
    default:
      return unreachable(trouble);
  }
}
