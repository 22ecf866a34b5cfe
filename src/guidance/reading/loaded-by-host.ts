import { realpathSync } from 'node:fs';
import { dirname, extname, isAbsolute, join, relative } from 'node:path';
import { canonicalPath, isInside } from '../../files/environment.ts';
import { readProjectFile, unlessRefused } from '../../files/read-file.ts';
import { importedPaths } from '../../text/markdown/imports.ts';

const MEMORY_FILES: readonly string[] = [
  'CLAUDE.md',
  '.claude/CLAUDE.md',
  'CLAUDE.local.md',
];
/** The host follows imports to this depth. */
const MAX_DEPTH = 4;
/** Limits for all files together, because a file may import any number of others. */
const MAX_IMPORTS = 500;
const MAX_IMPORTED_BYTES = 1_000_000;

/** The host imports what it takes for text. It knows more endings, but asking in vain costs less than a file unread. */
const IMPORTED_EXTENSIONS = new Set([
  '.md',
  '.txt',
  '.json',
  '.yaml',
  '.yml',
  '.toml',
  '.xml',
  '.csv',
  '.html',
]);

/**
 * The project files that Claude Code certainly keeps in the context: its memory files and what they import.
 * `launchFolder` is where the client was launched, if that is known: memory files of the folders above it are loaded
 * too, but not their imports, and those of a project that it was not launched in are loaded late or never.
 */
export function filesLoadedByHost(
  root: string,
  launchFolder?: string,
): ReadonlySet<string> {
  const loaded = new Set<string>();
  const launch =
    launchFolder === undefined ? undefined : pathBelow(root, launchFolder);
  if (launch === null) return loaded;

  const tried = new Set<string>();
  let left = MAX_IMPORTED_BYTES;
  let level: readonly string[] = MEMORY_FILES;
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth += 1) {
    const imported: string[] = [];
    for (const path of level) {
      if (tried.has(path) || tried.size >= MAX_IMPORTS) continue;
      tried.add(path);
      const file = readProjectFile(root, path, left);
      if (file.kind !== 'text') continue;
      left -= file.text.length;
      loaded.add(path);
      if (launch === '') imported.push(...importsOf(root, path, file.text));
    }
    level = imported;
  }
  return loaded;
}

/** The files of the project that a file imports; what is outside of it is not read. */
function importsOf(root: string, path: string, text: string): string[] {
  const paths: string[] = [];
  for (const name of importedPaths(text).slice(0, MAX_IMPORTS)) {
    const isOfUser = name.startsWith('~');
    if (isOfUser || !IMPORTED_EXTENSIONS.has(extname(name))) continue;
    // Relative to the importing file.
    const full = isAbsolute(name) ? name : join(dirname(path), name);
    const imported = canonicalPath(root, full);
    if (!isAbsolute(imported)) paths.push(imported);
  }
  return paths;
}

/** Empty for the root itself, null for a folder outside of it. */
function pathBelow(root: string, folder: string): string | null {
  if (folder === root) return '';
  const top = realPathOrNull(root);
  const below = realPathOrNull(folder);
  if (top === null || below === null) return null;
  return isInside(top, below) ? relative(top, below) : null;
}

function realPathOrNull(path: string): string | null {
  return unlessRefused(() => realpathSync.native(path));
}
