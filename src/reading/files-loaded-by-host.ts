import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { importedPaths } from '../markdown/imports.ts';
import { readProjectFile } from '../io/read-file.ts';

const MEMORY_FILES = ['CLAUDE.md', '.claude/CLAUDE.md', 'CLAUDE.local.md'];
/** As deep as the host follows imports. */
const MAX_DEPTH = 5;
const MAX_FILES = 200;
/** Looked for in all, and read in all: a file may name any number of others. */
const MAX_LOOKUPS = 500;
const MAX_BYTES = 200_000;
const MAX_BYTES_IN_ALL = 1_000_000;

/** The files of the project that Claude Code keeps in every request by itself: its memory files and what they import. */
export function filesLoadedByHost(root: string): ReadonlySet<string> {
  const loaded = new Set<string>();
  const tried = new Set<string>();
  let left = MAX_BYTES_IN_ALL;
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

/** From the file that imports; what lies outside the project is none of ours. */
function resolved(root: string, from: string, imported: string): string[] {
  if (imported.startsWith('~')) return [];
  const full = isAbsolute(imported) ? imported : join(root, dirname(from), imported);
  const path = relative(root, full);
  return path.startsWith('..') || isAbsolute(path) ? [] : [path.split(sep).join('/')];
}
