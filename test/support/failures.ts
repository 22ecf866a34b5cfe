import { errorLine, HoldfastError } from '../../src/text/holdfast-error.ts';

/** For `toThrow`: a HoldfastError whose sentence and hint, as they are printed, contain the text or match it. */
export function saying(expected: string | RegExp): {
  asymmetricMatch: (thrown: unknown) => boolean;
  toString: () => string;
} {
  return {
    asymmetricMatch: (thrown) => {
      const line = printed(thrown);
      return typeof expected === 'string'
        ? line.includes(expected)
        : expected.test(line);
    },
    toString: () => `saying ${String(expected)}`,
  };
}

/** The line that is printed for a failure. */
export function printed(thrown: unknown): string {
  return thrown instanceof HoldfastError ? errorLine(thrown) : String(thrown);
}
