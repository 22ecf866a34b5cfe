export interface ErrorText {
  message: string;
  /** What to do next. */
  hint: string;
  /** Printed below the sentence, in as many lines as it has. */
  details?: string;
  /** Printed beside the error with --json. */
  data?: object;
}

/** Both in one line. */
export function errorLine({ message, hint }: Pick<ErrorText, 'message' | 'hint'>): string {
  return message.endsWith('?')
    ? `${message} ${hint.charAt(0).toUpperCase()}${hint.slice(1)}`
    : `${message}; ${hint}`;
}

export type Messages<Failures> = {
  [Code in keyof Failures]: (failure: Failures[Code]) => ErrorText;
};

export function messageFor<Failures, Code extends keyof Failures>(
  messages: Messages<Failures>,
  failure: { code: Code } & Failures[Code],
): ErrorText {
  return messages[failure.code](failure);
}
