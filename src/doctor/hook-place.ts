import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { homeOf, hookFile } from '../install/runtime-places.ts';
import type { HookCommandForm } from './hook-command.ts';
import type { Examined } from './types.ts';

/** The file that a command would run, there or not; null where no file is named or found. */
export function fileBehind(
  form: HookCommandForm,
  places: Pick<Examined, 'root' | 'config'>,
): string | null {
  switch (form.kind) {
    case 'file':
      return form.file;
    case 'finder':
      return placesOfFinder(places).find((path) => existsSync(path)) ?? null;
    default:
      return null;
  }
}

/** Where the form that is committed looks, in this order: the user's copy, then the dependencies from here upwards. */
function placesOfFinder({ root, config }: Pick<Examined, 'root' | 'config'>): string[] {
  const places = [hookFile(homeOf(config))];
  for (let folder = root; ; folder = dirname(folder)) {
    places.push(hookFile(join(folder, 'node_modules', 'holdfast')));
    if (dirname(folder) === folder) return places;
  }
}
