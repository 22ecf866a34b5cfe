import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { hookFile, RUNTIME_FILES } from '../../io/runtime-paths.ts';
import { isInside } from '../../io/read-file.ts';
import type { JsonObject } from '../../util/json.ts';
import { fileOfCommand, parseHookCommand } from '../../install/plan/hook-command.ts';
import { realPath } from './real-path.ts';
import { foldersBeside } from './repository.ts';
import type { DoctorContext } from '../types.ts';

type Places = Pick<DoctorContext, 'root' | 'config' | 'packageFolder'>;

/**
 * Why a registered command is not executed; null where it is. Settings come with a repository as well, and the
 * host runs nothing of it before the user trusts the folder: neither does a command that only looks.
 */
export function reasonNotToRun(hook: JsonObject, places: Places): string | null {
  const form = parseHookCommand(hook);
  if (form.kind === 'unknown') return form.why;
  const file = fileOfCommand(form, places);
  const program = /[\\/]/.test(form.program) ? [form.program] : [];
  const paths = [...program, ...(file === null ? [] : [file])];
  if (paths.some((path) => !isAbsolute(path)))
    return 'what it runs depends on the folder that it is started in';
  // Node and the system read detours through links differently.
  if (paths.some((path) => resolve(path) !== path.replaceAll('/', sep)))
    return 'its path takes a detour';
  const foreign = paths.find((path) => isOfProject(path, places) && !isThisHoldfast(path, places));
  return foreign === undefined ? null : `it runs a file of this project: ${foreign}`;
}

/** The Node that runs this is trusted already, and so is what belongs to the user. */
function isOfProject(path: string, { root, config }: Places): boolean {
  const real = realPath(path);
  if (real === realPath(process.execPath) || isInside(realPath(config), real)) return false;
  return [root, ...foldersBeside(root)].some((folder) => isInside(realPath(folder), real));
}

/** What the hooks are made of: the first loads the others from beside it. */
const HOOK_FILES = RUNTIME_FILES.filter((name) => /^dist\/hook.*\.cjs$/.test(name));

/** A file of the holdfast that runs just now, or the very same code. */
function isThisHoldfast(path: string, { packageFolder }: Places): boolean {
  const real = realPath(path);
  if (RUNTIME_FILES.some((name) => realPath(join(packageFolder, name)) === real)) return true;
  const isSame = (ours: string, theirs: string): boolean => {
    const code = bytesOf(ours);
    return code !== null && bytesOf(theirs)?.equals(code) === true;
  };
  return (
    isSame(hookFile(packageFolder), real) &&
    HOOK_FILES.every((name) =>
      isSame(join(packageFolder, name), join(dirname(real), basename(name))),
    ) &&
    !hasCodeCache(dirname(real))
  );
}

/** The hooks load a cache that lies beside them, and nobody can read what is in one. */
function hasCodeCache(folder: string): boolean {
  return readdirSync(folder).some((name) => name.endsWith('.cache'));
}

function bytesOf(path: string): Buffer | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true ? readFileSync(path) : null;
}
