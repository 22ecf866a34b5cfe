import { sanitizeLine } from '../util/sanitize.ts';
import { shellQuote } from '../util/shell-quote.ts';

/** Untrusted text as one word of a command that users copy into their shell. */
export function quoteForShell(text: string): string {
  return shellQuote(sanitizeLine(text));
}
