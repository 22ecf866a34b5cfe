export interface Words {
  message: string;
  /** What to do next. */
  hint: string;
}

export type WordsFor<Failures> = {
  [Code in keyof Failures]: (failure: Failures[Code]) => Words;
};

export function wordsFor<Failures, Code extends keyof Failures>(
  words: WordsFor<Failures>,
  failure: { code: Code } & Failures[Code],
): Words {
  return words[failure.code](failure);
}
