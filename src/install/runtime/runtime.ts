import { createRequire } from 'node:module';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { removeIfEmpty, removeIfThere } from '../../io/remove.ts';
import { removeLeftovers, replaceText } from '../../io/replace-text.ts';
import { cacheName, codeIn, isCacheOf, makeCodeCache, WARM_UP } from './code-cache.ts';
import {
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
    throw new HoldfastError({ code: 'no_package', path: join(packageFolder, missing.name) });
  }
  const changed = files.filter(({ name, text }) => textOf(join(home, name)) !== text);
  for (const { name, text } of changed)
    replaceText(join(home, name), text ?? '', name === LAUNCHER ? { mode: 0o755 } : {});
  const node = `${process.execPath}\n`;
  if (textOf(nodePathFile(home)) !== node) replaceText(nodePathFile(home), node);
  return keepCache(home) || changed.length > 0;
}

/** Hooks run without the cache, only slower. */
function keepCache(home: string): boolean {
  try {
    return makeCache(home);
  } catch {
    // Whatever the reason (disk full, unusual Node), each hook then compiles its code, and `doctor` reports it.
    return false;
  }
}

/** Keeps caches for other versions of Node, because users switch back; removes caches of other code. */
function makeCache(home: string): boolean {
  removeWarmUps(home);
  const code = codeIn(readFileSync(hookFile(home), 'utf8'));
  if (code === undefined) return false;
  const folder = dirname(hookFile(home));
  const name = cacheName(code);
  const [, digest = ''] = name.split('-');
  for (const other of cachesIn(folder)) {
    if (!other.startsWith(`hook-${digest}-`)) removeIfThere(join(folder, other));
  }
  const path = join(folder, name);
  if (existsSync(path) && isCacheOf(code, readFileSync(path))) return false;
  replaceText(path, makeCodeCache(code, createRequire(hookFile(home)), home));
  return true;
}

export function removeRuntime(home: string): void {
  removeWarmUps(home);
  const dist = dirname(hookFile(home));
  const bin = join(home, 'bin');
  const module = dirname(join(home, MODULE_FILE));
  for (const name of cachesIn(dist)) removeIfThere(join(dist, name));
  for (const name of RUNTIME_FILES) removeIfThere(join(home, name));
  removeIfThere(nodePathFile(home));
  for (const folder of [home, dist, bin, module].filter((path) => existsSync(path)))
    removeLeftovers(folder);
  removeIfEmpty(module);
  removeIfEmpty(dist);
  removeIfEmpty(bin);
}

/** Removes what a killed process left behind. */
function removeWarmUps(home: string): void {
  for (const name of existsSync(home) ? readdirSync(home) : []) {
    if (name.startsWith(WARM_UP)) rmSync(join(home, name), { recursive: true, force: true });
  }
}

function cachesIn(folder: string): string[] {
  return existsSync(folder)
    ? readdirSync(folder).filter((name) => /^hook-.*\.cache$/.test(name))
    : [];
}

function textOf(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
