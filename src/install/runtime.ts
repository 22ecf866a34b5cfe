import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HoldfastError } from '../errors/holdfast-error.ts';
import { removeIfEmpty } from '../io/remove.ts';
import { removeLeftovers, replaceText } from '../io/replace-text.ts';
import {
  cacheFolder,
  LAUNCHER,
  MODULE_FILE,
  nodePathFile,
  RUNTIME_FILES,
} from '../io/runtime-paths.ts';

/** Copies holdfast's files, so that hooks work even if the package is removed; true if something changed. */
export function copyRuntime(packageFolder: string, home: string): boolean {
  const files = RUNTIME_FILES.map((name) => ({ name, text: textOf(join(packageFolder, name)) }));
  const missing = files.find(({ text }) => text === null);
  if (missing !== undefined) {
    const path = join(packageFolder, missing.name);
    throw new HoldfastError('no_package', `incomplete installation: ${path} is missing`, {
      hint: 'install holdfast again; in a clone, run `npm run build`',
    });
  }
  const changed = files.filter(({ name, text }) => textOf(join(home, name)) !== text);
  for (const { name, text } of changed)
    replaceText(join(home, name), text ?? '', name === LAUNCHER ? { mode: 0o755 } : {});
  const node = `${process.execPath}\n`;
  if (textOf(nodePathFile(home)) !== node) replaceText(nodePathFile(home), node);
  return changed.length > 0;
}

export function removeRuntime(home: string): void {
  rmSync(cacheFolder(home), { recursive: true, force: true });
  const files = [...RUNTIME_FILES.map((name) => join(home, name)), nodePathFile(home)];
  for (const file of files) rmSync(file, { force: true });
  const module = dirname(join(home, MODULE_FILE));
  for (const folder of [module, join(home, 'dist'), join(home, 'bin'), home]) {
    if (!existsSync(folder)) continue;
    removeLeftovers(folder);
    if (folder !== home) removeIfEmpty(folder);
  }
}

function textOf(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
