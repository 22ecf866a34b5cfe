import { digestOf } from '../../io/digest.ts';
import { errorCode } from '../../io/read-file.ts';
import { replaceText } from '../../io/replace-text.ts';
import { versionedModuleFiles, type ModuleSource } from '../plan/module-files.ts';
import { placesOf } from '../plan/scopes.ts';
import { readWhole } from '../read-whole-file.ts';
import type { Install, ModuleFile } from '../record/record.ts';

/** Brings the modules of all installations to this version. Files that were changed by hand stay. */
export function refreshModules(
  config: string,
  installs: readonly Install[],
  source: Omit<ModuleSource, 'program'>,
): Install[] {
  return installs.map((install) => {
    const { scope, root, module: files } = install;
    const texts = versionedModuleFiles(placesOf(scope, root ?? '', config).skill, source);
    return { ...install, module: files.map((file) => refreshed(file, texts.get(file.path))) };
  });
}

function refreshed(file: ModuleFile, text: string | undefined): ModuleFile {
  if (text === undefined || digestOf(text) === file.written) return file;
  try {
    const before = readWhole(file.path);
    if (before === null || digestOf(before) !== file.written) return file;
    replaceText(file.path, text);
    return { ...file, written: digestOf(text) };
  } catch (error) {
    // A project without write access, or on a drive that is not mounted, must not keep the others from their update.
    if (errorCode(error) === undefined) throw error;
    return file;
  }
}
