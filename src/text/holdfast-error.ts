import type { ErrorCode } from './error-codes.ts';
import { asWord } from './sanitize.ts';

interface Advice {
  hint: string;
  /** What to do next for an agent that has tools rather than a command line, if that differs. */
  toolHint?: string;
  /** Printed below the sentence, in as many lines as it has. */
  details?: string;
  /** Printed beside the error with --json. */
  data?: object;
}

/** A failure that the user can do something about: a code for programs and a sentence for people. */
export class HoldfastError extends Error {
  override readonly name = 'HoldfastError';
  readonly hint: string;
  readonly toolHint: string | undefined;
  readonly details: string;
  readonly data: object;

  constructor(
    readonly code: ErrorCode,
    message: string,
    { hint, toolHint, details = '', data = {} }: Advice,
  ) {
    super(message);
    this.hint = hint;
    this.toolHint = toolHint;
    this.details = details;
    this.data = data;
  }
}

/** What the call returns, or the refusal that it throws. */
export function attempt<T>(call: () => T): T | HoldfastError {
  try {
    return call();
  } catch (error) {
    if (error instanceof HoldfastError) return error;
    throw error;
  }
}

export const errorLine = ({
  message,
  hint,
}: {
  message: string;
  hint: string;
}): string =>
  message.endsWith('?')
    ? `${message} ${hint.charAt(0).toUpperCase()}${hint.slice(1)}`
    : `${message}; ${hint}`;

/** An option or argument whose value cannot be used. `expected` ends a sentence: "expected …". */
export function badValue(
  option: string,
  value: unknown,
  expected: string,
): HoldfastError {
  const message =
    value === ''
      ? `${option} is blank`
      : `invalid value "${String(value)}" for ${option}`;
  return new HoldfastError('bad_value', message, {
    hint: `expected ${expected}`,
  });
}

export function tooLong(
  option: string,
  value: string,
  maxChars: number,
  instead: string,
): HoldfastError {
  return new HoldfastError(
    'bad_value',
    `invalid value of ${value.length} characters for ${option}`,
    {
      hint: `expected at most ${maxChars} characters; put the text into a file and ${instead}`,
    },
  );
}

export const notText = (path: string): HoldfastError =>
  new HoldfastError('not_text', `${asWord(path)} is not UTF-8 text`, {
    hint: 'save it as UTF-8, then try again; nothing was changed',
  });

export const unreadableInput = (
  what: string,
  why: string,
  hint = 'check the path and its permissions',
): HoldfastError =>
  new HoldfastError('unreadable_input', `cannot read ${what}: ${why}`, {
    hint,
  });
