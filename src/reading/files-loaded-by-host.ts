import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { importedPaths } from '../markdown/imports.ts';
import { readProjectFile } from '../io/read-file.ts';

const MEMORY_FILES = ['CLAUDE.md', '.claude/CLAUDE.md', 'CLAUDE.local.md'];
/** The host follows imports to this depth. */
const MAX_DEPTH = 5;
const MAX_FILES = 200;
/** Limits for all files together, because a file may import any number of others. */
const MAX_LOOKUPS = 500;
const MAX_BYTES = 200_000;
const MAX_TOTAL_BYTES = 1_000_000;

/** The project files that Claude Code itself keeps in the context: its memory files and what they import. */
export function filesLoadedByHost(root: string): ReadonlySet<string> {
  const loaded = new Set<string>();
  const tried = new Set<string>();
  let left = MAX_TOTAL_BYTES;
  let level = MEMORY_FILES;
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth += 1) {
    level = level.flatMap((path) => {
      if (tried.has(path) || tried.size >= MAX_LOOKUPS || loaded.size >= MAX_FILES) return [];
      tried.add(path);
      const file = readProjectFile(root, path, Math.min(left, MAX_BYTES));
      if (file.kind !== 'text') return [];
      left -= file.text.length;
      loaded.add(path);
      return importedPaths(file.text)
        .slice(0, MAX_LOOKUPS)
        .flatMap((imported) => resolved(root, path, imported));
    });
  }
  return loaded;
}

/** Relative to the importing file; paths outside the project are ignored. */
function resolved(root: string, from: string, imported: string): string[] {
  if (imported.startsWith('~')) return [];
  const full = isAbsolute(imported) ? imported : join(root, dirname(from), imported);
  const path = relative(root, full);
  return path.startsWith('..') || isAbsolute(path) ? [] : [path.split(sep).join('/')];
}
