import { resolve, sep } from 'node:path';
import { startedProgram } from '../install/host-commands.ts';
import { isInside, realPath } from '../files/environment.ts';
import type { JsonObject } from '../text/json.ts';
import type { ClientFolders } from './client-settings.ts';
import { asWord } from '../text/sanitize.ts';

export type RunPlaces = ClientFolders & { packageFolder: string };

/**
 * Null if it starts the user's own holdfast: the copy, a plugin or this package. Settings can come with a cloned
 * repository, and nothing else runs them before the user trusts it.
 */
export function reasonNotToRun(
  hook: JsonObject,
  places: RunPlaces,
): string | null {
  const started = startedProgram(hook, places);
  if (started === null) return 'holdfast does not write commands in this form';
  const { program, file } = started;
  if (!['sh', 'node', process.execPath].includes(program))
    return `it starts ${asWord(program)}`;
  if (file === null) return null;
  // Node and the operating system resolve `..` after a link differently.
  const isNormal = resolve(file) === file.replaceAll('/', sep);
  const own = [places.config, places.packageFolder].map(realPath);
  const isOwn =
    isNormal && own.some((folder) => isInside(folder, realPath(file)));
  return isOwn
    ? null
    : `it runs ${asWord(file)}, which does not belong to your own holdfast`;
}
