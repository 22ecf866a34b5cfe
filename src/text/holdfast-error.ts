interface Advice {
  /** What to do next. */
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
    readonly code: string,
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

/** Both in one line. */
export function errorLine({ message, hint }: { message: string; hint: string }): string {
  return message.endsWith('?')
    ? `${message} ${hint.charAt(0).toUpperCase()}${hint.slice(1)}`
    : `${message}; ${hint}`;
}
