import { oneLine } from '../guidance/plain.ts';
import { shellWord } from '../io/shell-word.ts';

/** A text of others as one word of a command that people copy into their shell. */
export function typed(text: string): string {
  return shellWord(oneLine(text));
}
