import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { importedPaths } from '../detect/imports.ts';
import { readProjectFile } from './read-file.ts';

const MEMORY_FILES = ['CLAUDE.md', '.claude/CLAUDE.md', 'CLAUDE.local.md'];
/** As deep as the host follows imports. */
const MAX_DEPTH = 5;
const MAX_FILES = 200;
const MAX_BYTES = 1_000_000;

/** The files of the project that Claude Code keeps in every request by itself: its memory files and what they import. */
export function filesLoadedByHost(root: string): ReadonlySet<string> {
  const loaded = new Set<string>();
  let level = MEMORY_FILES;
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth += 1) {
    level = level.flatMap((path) => {
      if (loaded.has(path) || loaded.size >= MAX_FILES) return [];
      const file = readProjectFile(root, path, MAX_BYTES);
      if (file.kind !== 'text') return [];
      loaded.add(path);
      return importedPaths(file.text).flatMap((imported) => resolved(root, path, imported));
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
