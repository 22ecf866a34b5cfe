import { join } from 'node:path';
import { texts } from './assets.generated.ts';
import { sign } from './signature.ts';
import type { Places } from './scopes.ts';

/** Only needed if holdfast is not called as `holdfast`. */
const INVOCATION_NOTE = /^Where a reply says `holdfast`, type `\{\{holdfast\}\}`\.\n/m;
const PERMISSION = /Bash\(\{\{holdfast\}\}([^)]*)\)/g;

/** The slash commands and the skill, with the invocation of holdfast on this machine: path → content. */
export function ownFiles(places: Places, invocation: string): Map<string, string> {
  return new Map(
    Object.entries(texts).map(([name, text]) => {
      const [kind = '', file = ''] = name.split('/');
      const folder = kind === 'commands' ? places.commands : places.skill;
      return [join(folder, file), sign(calling(text, invocation))];
    }),
  );
}

/** Fills in the invocation. Whatever it is, the plain `holdfast` of replies is permitted as well. */
export function calling(text: string, invocation: string): string {
  const needed =
    invocation === 'holdfast'
      ? text.replace(INVOCATION_NOTE, '')
      : text.replaceAll(
          PERMISSION,
          (allowed, words: string) => `${allowed}, Bash(holdfast${words})`,
        );
  return needed.replaceAll('{{holdfast}}', () => invocation);
}
