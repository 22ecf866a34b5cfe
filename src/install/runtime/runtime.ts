import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { removeIfEmpty, removeIfThere } from '../../io/remove.ts';
import { removeLeftovers, replaceText } from '../../io/replace-text.ts';
import {
  cacheFolder,
  hookFile,
  MODULE_FILE,
  LAUNCHER,
  nodePathFile,
  RUNTIME_FILES,
} from '../../io/runtime-paths.ts';

/** Copies holdfast's files, so that hooks work even if the package is removed; true if something changed. */
export function copyRuntime(packageFolder: string, home: string): boolean {
  const files = RUNTIME_FILES.map((name) => ({ name, text: textOf(join(packageFolder, name)) }));
  const missing = files.find(({ text }) => text === null);
  if (missing !== undefined) {
    throw new HoldfastError(
      'no_package',
      `incomplete installation: ${join(packageFolder, missing.name)} is missing`,
      { hint: 'install holdfast again; in a clone, run `npm run build`' },
    );
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
  const dist = dirname(hookFile(home));
  const bin = join(home, 'bin');
  const module = dirname(join(home, MODULE_FILE));
  for (const name of RUNTIME_FILES) removeIfThere(join(home, name));
  removeIfThere(nodePathFile(home));
  for (const folder of [home, dist, bin, module].filter((path) => existsSync(path)))
    removeLeftovers(folder);
  removeIfEmpty(module);
  removeIfEmpty(dist);
  removeIfEmpty(bin);
}

function textOf(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
