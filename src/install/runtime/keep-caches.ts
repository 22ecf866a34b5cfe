import { createRequire } from 'node:module';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { removeIfThere } from '../../io/remove.ts';
import { replaceText } from '../../io/replace-text.ts';
import { hookCodeFile, hookFile } from '../../io/runtime-paths.ts';
import { cacheName, isCacheOf, isHookCacheOf, makeCodeCache, WARM_UP } from './code-cache.ts';
import { commandCaches, makeCommandCaches } from './command-caches.ts';

/** The code caches of hooks and commands in the copy of the package; true if one is new. All works without, only slower. */
export function keepCaches(packageFolder: string, home: string): boolean {
  try {
    removeWarmUps(home);
    const built = join(packageFolder, 'dist');
    const changes = [keepHookCache(built, home), keepCommandCaches(built, home)];
    return changes.includes(true);
  } catch {
    // Whatever the reason (disk full, unusual Node), the code is then compiled at each start; for hooks, `doctor` reports it.
    return false;
  }
}

export function removeCaches(home: string): void {
  removeWarmUps(home);
  removeOtherCaches(dirname(hookFile(home)), /^(?:hook|cli|cli-status|cli-statusline)-/, []);
}

function keepHookCache(built: string, home: string): boolean {
  const code = readFileSync(hookCodeFile(home), 'utf8');
  const name = cacheName('hook', code);
  if (name === undefined) return false;
  const dist = dirname(hookFile(home));
  removeOtherCaches(dist, /^hook-/, [name]);
  const isKept = (folder: string): boolean => isUsable(code, join(folder, name), isHookCacheOf);
  if (isKept(dist)) return false;
  const cache = isKept(built)
    ? readFileSync(join(built, name))
    : makeCodeCache(code, createRequire(hookFile(home)), home);
  replaceText(join(dist, name), cache);
  return true;
}

function keepCommandCaches(built: string, home: string): boolean {
  const dist = dirname(hookFile(home));
  const caches = commandCaches(dist);
  removeOtherCaches(
    dist,
    /^cli/,
    caches.map(({ name }) => name),
  );
  const missing = caches.filter(({ name, code }) => !isUsable(code, join(dist, name)));
  const unbuilt = missing.filter(({ name, code }) => !isUsable(code, join(built, name)));
  for (const { name } of missing.filter((cache) => !unbuilt.includes(cache)))
    replaceText(join(dist, name), readFileSync(join(built, name)));
  if (unbuilt.length > 0) makeCommandCaches(home, unbuilt);
  return missing.length > 0;
}

/** A cache can be missing or damaged, or be rejected by V8 for other reasons. */
function isUsable(code: string, path: string, isAccepted = isCacheOf): boolean {
  return existsSync(path) && isAccepted(code, readFileSync(path));
}

/** Keeps caches for other versions of Node, because users switch back; removes caches of other code. */
function removeOtherCaches(dist: string, kind: RegExp, kept: readonly string[]): void {
  const starts = kept.map((name) => name.slice(0, name.indexOf(process.version)));
  const caches = existsSync(dist)
    ? readdirSync(dist).filter((name) => kind.test(name) && name.endsWith('.cache'))
    : [];
  for (const name of caches.filter((cache) => !starts.some((start) => cache.startsWith(start))))
    removeIfThere(join(dist, name));
}

/** Removes what a killed process left behind. */
function removeWarmUps(home: string): void {
  for (const name of existsSync(home) ? readdirSync(home) : []) {
    if (name.startsWith(WARM_UP)) rmSync(join(home, name), { recursive: true, force: true });
  }
}
