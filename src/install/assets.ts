import { join } from 'node:path';
import { texts } from './assets.generated.ts';
import { sealed } from './own-file.ts';
import type { Places } from './scopes.ts';

/** The slash commands and the skill, with the words that call holdfast on this machine: path → content. */
export function ownFiles(places: Places, invocation: string): Map<string, string> {
  return new Map(
    Object.entries(texts).map(([name, text]) => {
      const [kind = '', file = ''] = name.split('/');
      const folder = kind === 'commands' ? places.commands : places.skill;
      return [join(folder, file), sealed(text.replaceAll('{{holdfast}}', () => invocation))];
    }),
  );
}
