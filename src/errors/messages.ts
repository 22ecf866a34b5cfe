export interface ErrorText {
  message: string;
  /** What to do next. */
  hint: string;
}

export type Messages<Failures> = {
  [Code in keyof Failures]: (failure: Failures[Code]) => ErrorText;
};

export function messageFor<Failures, Code extends keyof Failures>(
  words: Messages<Failures>,
  failure: { code: Code } & Failures[Code],
): ErrorText {
  return words[failure.code](failure);
}
