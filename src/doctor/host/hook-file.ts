import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runtimeFolder } from '../../io/runtime-paths.ts';
import type { HookCommandForm } from './hook-command.ts';
import type { DoctorContext } from '../types.ts';

/** The file that a command would run, there or not; null where no file is named or found. */
export function hookFileOf(
  form: HookCommandForm,
  places: Pick<DoctorContext, 'root' | 'config'>,
): string | null {
  switch (form.kind) {
    case 'file':
      return form.file;
    case 'finder':
      return placesOfFinder(places, form.name).find((path) => existsSync(path)) ?? null;
    default:
      return null;
  }
}

/** Where the form that is committed looks, in this order: the user's copy, then the dependencies from here upwards. */
function placesOfFinder(
  { root, config }: Pick<DoctorContext, 'root' | 'config'>,
  name: string,
): string[] {
  const places = [join(runtimeFolder(config), 'dist', name)];
  for (let folder = root; ; folder = dirname(folder)) {
    places.push(join(folder, 'node_modules', 'holdfast', 'dist', name));
    if (dirname(folder) === folder) return places;
  }
}
