import { sanitizeLine } from '../util/sanitize.ts';
import { shellQuote } from '../util/shell-quote.ts';

/** A text of others as one word of a command that people copy into their shell. */
export function quoteForShell(text: string): string {
  return shellQuote(sanitizeLine(text));
}
