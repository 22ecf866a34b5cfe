import { createRequire } from 'node:module';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HoldfastError } from '../errors.ts';
import { removeIfEmpty, removeIfThere } from '../io/remove.ts';
import { replaceText } from '../io/replace-text.ts';
import { cacheName, codeIn, makeCodeCache } from './code-cache.ts';
import { hookFile, RUNTIME_FILES } from './runtime-places.ts';

/** Copies holdfast's own files, so that hooks work whatever becomes of the package; true if something changed. */
export function copyRuntime(packageFolder: string, home: string): boolean {
  const files = RUNTIME_FILES.map((name) => ({ name, text: textOf(join(packageFolder, name)) }));
  const missing = files.find(({ text }) => text === null);
  if (missing !== undefined) {
    throw new HoldfastError({ code: 'no_package', path: join(packageFolder, missing.name) });
  }
  const changed = files.filter(({ name, text }) => textOf(join(home, name)) !== text);
  for (const { name, text } of changed) replaceText(join(home, name), text ?? '');
  return makeCache(home) || changed.length > 0;
}

/** Caches of other versions of Node stay: one may switch back. Those of other code go. */
function makeCache(home: string): boolean {
  const code = codeIn(readFileSync(hookFile(home), 'utf8'));
  if (code === undefined) return false;
  const folder = dirname(hookFile(home));
  const name = cacheName(code);
  const [, digest = ''] = name.split('-');
  for (const other of cachesIn(folder)) {
    if (!other.startsWith(`hook-${digest}-`)) removeIfThere(join(folder, other));
  }
  if (existsSync(join(folder, name))) return false;
  writeFileSync(join(folder, name), makeCodeCache(code, createRequire(hookFile(home))));
  return true;
}

export function removeRuntime(home: string): void {
  const dist = dirname(hookFile(home));
  for (const name of cachesIn(dist)) removeIfThere(join(dist, name));
  for (const name of RUNTIME_FILES) removeIfThere(join(home, name));
  removeIfEmpty(dist);
  removeIfEmpty(join(home, 'bin'));
}

function cachesIn(folder: string): string[] {
  return existsSync(folder)
    ? readdirSync(folder).filter((name) => /^hook-.*\.cache$/.test(name))
    : [];
}

function textOf(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
