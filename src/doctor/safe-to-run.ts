import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import fse from 'fs-extra';
import { startedProgram } from '../install/host-commands.ts';
import {
  isInside,
  hookFile,
  nodePathFile,
  programFile,
  realPath,
  RUNTIME_FILES,
  scriptFile,
} from '../files/environment.ts';
import type { JsonObject } from '../text/json.ts';
import { foldersBeside, type ClientFolders } from './client-settings.ts';

export type RunPlaces = ClientFolders & { packageFolder: string };

/** Null if doctor may execute it. Settings can come with a cloned repository: nothing runs them before the user trusts it. */
export function reasonNotToRun(hook: JsonObject, places: RunPlaces): string | null {
  const started = startedProgram(hook, places);
  if (started === 'variable') return 'which script it runs depends on a variable';
  if (started === 'other_form') return 'holdfast does not write commands in this form';
  const { file } = started;
  const program = /[\\/]/.test(started.program) ? [started.program] : [];
  const paths = [...program, ...(file === null ? [] : [file])];
  if (paths.some((path) => !isAbsolute(path))) return 'what it runs depends on the current folder';
  // Node and the operating system resolve `..` after a link differently.
  if (paths.some((path) => resolve(path) !== path.replaceAll('/', sep)))
    return 'its path is not normalized';
  const foreign = paths.find((path) => isOfProject(path, places) && !isThisHoldfast(path, places));
  return foreign === undefined ? null : `it runs a file of this project: ${foreign}`;
}

/** The running Node and the user's own files are trusted. */
function isOfProject(path: string, { root, config }: RunPlaces): boolean {
  const real = realPath(path);
  if (real === realPath(process.execPath) || isInside(realPath(config), real)) return false;
  return [root, ...foldersBeside(root)].some((folder) => isInside(realPath(folder), real));
}

/** Whether it is a file of the running holdfast, or has exactly the same code. */
function isThisHoldfast(path: string, { packageFolder }: RunPlaces): boolean {
  const real = realPath(path);
  if (RUNTIME_FILES.some((name) => realPath(join(packageFolder, name)) === real)) return true;
  const isSame = (ours: string, theirs: string): boolean => {
    const code = bytesOf(ours);
    return code !== null && bytesOf(theirs)?.equals(code) === true;
  };
  // The script runs the program and the hooks of its own package.
  const home = dirname(dirname(real));
  return (
    isSame(scriptFile(packageFolder), real) &&
    isSame(programFile(packageFolder), programFile(home)) &&
    isSame(hookFile(packageFolder), hookFile(home)) &&
    !fse.existsSync(nodePathFile(home))
  );
}

function bytesOf(path: string): Buffer | null {
  const stat = fse.statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true ? fse.readFileSync(path) : null;
}
