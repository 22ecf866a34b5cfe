import { dirname, join } from 'node:path';
import fse from 'fs-extra';
import { HoldfastError } from '../text/holdfast-error.ts';
import { digestOf } from '../text/slug.ts';
import { isAtLeast } from '../text/version.ts';
import { errorCode, removeIfEmpty } from '../files/read-file.ts';
import { removeTextLeftovers, replaceText } from '../files/atomic-write.ts';
import {
  cacheFolder,
  installsFile,
  LAUNCHER,
  MODULE_FILE,
  nodePathFile,
  RUNTIME_FILES,
  runtimeFolder,
} from '../files/environment.ts';
import { versionedModuleFiles } from './assets.ts';
import { readIfText } from './disk.ts';
import { placesOf } from './places.ts';
import {
  readRecord,
  withInstallLock,
  writeRecord,
  type Install,
  type WrittenFile,
} from './record.ts';

/** Everybody may start the program, and only its owner may change it. */
const EXECUTABLE = 0o755;

/** A file of the package; its name is a path below the folder. */
interface RuntimeFile {
  name: string;
  text: string;
}

/** The files of holdfast in which the copy that the hooks run differs from the package. */
export function outdatedFiles(
  packageFolder: string,
  home: string,
): RuntimeFile[] {
  const files = RUNTIME_FILES.map((name) => ({
    name,
    text: packageText(join(packageFolder, name)),
  }));
  return files.filter(({ name, text }) => textOf(join(home, name)) !== text);
}

function packageText(path: string): string {
  const text = textOf(path);
  if (text !== null) return text;
  throw new HoldfastError(
    'no_package',
    `incomplete installation: ${path} is missing`,
    { hint: 'install holdfast again; in a clone, run `npm run build`' },
  );
}

/** Copies holdfast's files, so that hooks work even if the package is removed; true if something changed. */
export function copyRuntime(packageFolder: string, home: string): boolean {
  const changed = outdatedFiles(packageFolder, home);
  for (const { name, text } of changed) {
    const options = name === LAUNCHER ? { mode: EXECUTABLE } : {};
    replaceText(join(home, name), text, options);
  }
  const node = `${process.execPath}\n`;
  if (textOf(nodePathFile(home)) !== node)
    replaceText(nodePathFile(home), node);
  return changed.length > 0;
}

export function removeRuntime(home: string): void {
  fse.removeSync(cacheFolder(home));
  const files = [
    ...RUNTIME_FILES.map((name) => join(home, name)),
    nodePathFile(home),
  ];
  for (const file of files) fse.rmSync(file, { force: true });
  const module = dirname(join(home, MODULE_FILE));
  for (const folder of [module, join(home, 'dist'), join(home, 'bin'), home]) {
    if (!fse.existsSync(folder)) continue;
    removeTextLeftovers(folder);
    if (folder !== home) removeIfEmpty(folder);
  }
}

/** After an update of the package, updates the copy that the hooks run, and the modules. */
export function refreshRuntime(
  config: string,
  packageFolder: string,
  version: string,
): void {
  if (
    !fse.existsSync(installsFile(config)) ||
    runtimeFolder(config) === packageFolder
  )
    return;
  if (!isNewer(version, config)) return;
  try {
    withInstallLock(config, () => {
      const record = readRecord(config);
      if (typeof record === 'string' || !isNewer(version, config)) return;
      copyRuntime(packageFolder, runtimeFolder(config));
      const installs = record.installs.map((install) =>
        refreshed(install, config, packageFolder),
      );
      writeRecord(config, { ...record, installs, runtime: { version } });
    });
  } catch (error) {
    // Without write access the hooks stay as they are; `doctor` reports it.
    if (errorCode(error) === undefined) throw error;
  }
}

/** Not so for a record that cannot be used: `init` and `uninstall` report that. */
function isNewer(version: string, config: string): boolean {
  const record = readRecord(config);
  if (typeof record === 'string') return false;
  const installed = record.runtime.version;
  // A preview takes the place of nothing by itself, and its release takes its place.
  const isPreview = version.includes('-');
  if (installed === version || isPreview) return false;
  return isAtLeast(version, installed.replace(/-.*/, ''));
}

/** The module of an installation at this version. Files that were changed by hand stay. */
function refreshed(
  install: Install,
  config: string,
  packageFolder: string,
): Install {
  const { scope, root, files } = install;
  const { skill } = placesOf(scope, root ?? '', config);
  const texts = versionedModuleFiles(packageFolder, skill);
  return {
    ...install,
    files: files.map((file) => rewritten(file, texts.get(file.path))),
  };
}

function rewritten(file: WrittenFile, text: string | undefined): WrittenFile {
  if (text === undefined) return file;
  const before = readIfText(file.path);
  const isAsWritten =
    typeof before === 'string' && digestOf(before) === file.written;
  if (!isAsWritten) return file;
  try {
    replaceText(file.path, text);
    return { ...file, written: digestOf(text) };
  } catch (error) {
    // A project without write access must not keep the others from their update.
    if (errorCode(error) === undefined) throw error;
    return file;
  }
}

const textOf = (path: string): string | null =>
  fse.existsSync(path) ? fse.readFileSync(path, 'utf8') : null;
