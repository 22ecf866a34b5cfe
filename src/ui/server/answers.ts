import { HoldfastError } from '../../errors/holdfast-error.ts';
import { toHoldfastError } from '../../io/fs-errors.ts';
import { oneLine } from '../model/text.ts';
import type { Refused } from '../model/types/refused.ts';
import type { Refusal } from './request-check.ts';

export interface Answer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export function jsonAnswer(data: object, status = 200): Answer {
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: JSON.stringify(data),
  };
}

export function textAnswer(status: number, sentence: string): Answer {
  return {
    status,
    headers: { 'Content-Type': 'text/plain; charset=utf-8' },
    body: `${sentence}\n`,
  };
}

export function refusedAnswer(refusal: Refusal): Answer {
  const [status, sentence] = REFUSALS[refusal];
  const answer = textAnswer(status, `holdfast: ${sentence}`);
  return refusal === 'method'
    ? { ...answer, headers: { ...answer.headers, Allow: 'GET, HEAD' } }
    : answer;
}

/** None of them repeats anything from the request. */
const REFUSALS: Record<Refusal, readonly [status: number, sentence: string]> = {
  method: [405, 'this page only shows; it changes nothing.'],
  host: [403, 'use the address that `holdfast ui` printed: this host name is not allowed.'],
  origin: [403, 'requests from other sites are not answered.'],
  token: [403, 'this address has no valid token. Use the one that `holdfast ui` printed.'],
  not_found: [404, 'there is nothing at this address.'],
};

/** A sentence for the page, also for failures that nobody expected. */
export function failureAnswer(error: unknown): Answer {
  const failure = toHoldfastError(error);
  if (failure instanceof HoldfastError) {
    const status = failure.code === 'no_such_folder' ? 410 : 500;
    return jsonAnswer(refused(failure.code, failure.message, failure.hint), status);
  }
  const message = error instanceof Error ? error.message : String(error);
  return jsonAnswer(refused('internal', `internal error: ${message}`, 'please report it'), 500);
}

export function refused(code: string, message: string, hint: string): Refused {
  return { error: { code, message: oneLine(message, 500), hint: oneLine(hint, 500) } };
}
