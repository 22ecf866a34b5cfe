import { join } from 'node:path';
import { texts } from './assets.generated.ts';
import { sign } from './signature.ts';
import type { Places } from './scopes.ts';

/** A line that only says how to type what replies call `holdfast`. */
const OTHER_WORDS = /^Where a reply says `holdfast`, type `\{\{holdfast\}\}`\.\n/m;
const PERMISSION = /Bash\(\{\{holdfast\}\}([^)]*)\)/g;

/** The slash commands and the skill, with the words that call holdfast on this machine: path → content. */
export function ownFiles(places: Places, invocation: string): Map<string, string> {
  return new Map(
    Object.entries(texts).map(([name, text]) => {
      const [kind = '', file = ''] = name.split('/');
      const folder = kind === 'commands' ? places.commands : places.skill;
      return [join(folder, file), sign(calling(text, invocation))];
    }),
  );
}

/** A text with the words that call holdfast. What needs no permission in these words needs none as replies say it. */
export function calling(text: string, invocation: string): string {
  const needed =
    invocation === 'holdfast'
      ? text.replace(OTHER_WORDS, '')
      : text.replaceAll(
          PERMISSION,
          (allowed, words: string) => `${allowed}, Bash(holdfast${words})`,
        );
  return needed.replaceAll('{{holdfast}}', () => invocation);
}
