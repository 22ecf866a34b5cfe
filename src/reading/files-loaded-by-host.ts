import { dirname, extname, isAbsolute, join, relative, sep } from 'node:path';
import { realpathSync } from 'node:fs';
import { importedPaths } from '../markdown/imports.ts';
import { errorCode, isInside, readProjectFile } from '../io/read-file.ts';

const MEMORY_FILES: readonly string[] = ['CLAUDE.md', '.claude/CLAUDE.md', 'CLAUDE.local.md'];
/** The host follows imports to this depth. */
const MAX_DEPTH = 4;
const MAX_FILES = 200;
/** Limits for all files together, because a file may import any number of others. */
const MAX_LOOKUPS = 500;
const MAX_BYTES = 200_000;
const MAX_TOTAL_BYTES = 1_000_000;

/**
 * The host imports only files whose extension it takes for text. It knows more of them, but a file that is asked for
 * needlessly costs less than one that nobody reads.
 */
const IMPORTED_EXTENSIONS = new Set(
  (
    '.md .txt .json .yaml .yml .toml .xml .csv .html .css .js .mjs .cjs .jsx .ts .tsx ' +
    '.py .rb .go .rs .java .kt .c .h .cpp .hpp .cs .php .swift .sh .sql'
  ).split(' '),
);

/**
 * The project files that Claude Code certainly keeps in the context: its memory files and what they import.
 * `launchFolder` is where the client was launched, if that is known: memory files of the folders above it are loaded
 * too, but not their imports, and those of a project that it was not launched in are loaded late or never.
 */
export function filesLoadedByHost(root: string, launchFolder?: string): ReadonlySet<string> {
  const loaded = new Set<string>();
  const launch = launchFolder === undefined ? undefined : pathBelow(root, launchFolder);
  if (launch === null) return loaded;
  const tried = new Set<string>();
  let left = MAX_TOTAL_BYTES;
  let level: readonly string[] = MEMORY_FILES;
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth += 1) {
    level = level.flatMap((path) => {
      if (tried.has(path) || tried.size >= MAX_LOOKUPS || loaded.size >= MAX_FILES) return [];
      tried.add(path);
      const file = readProjectFile(root, path, Math.min(left, MAX_BYTES));
      if (file.kind !== 'text') return [];
      left -= file.text.length;
      loaded.add(path);
      if (launch !== '') return [];
      return importedPaths(file.text)
        .slice(0, MAX_LOOKUPS)
        .filter((imported) => IMPORTED_EXTENSIONS.has(extname(imported)))
        .flatMap((imported) => resolved(root, path, imported));
    });
  }
  return loaded;
}

/** Empty for the root itself, null for a folder outside of it. */
function pathBelow(root: string, folder: string): string | null {
  if (folder === root) return '';
  const [top, real] = [realPath(root), realPath(folder)];
  return top === null || real === null || !isInside(top, real) ? null : relative(top, real);
}

/** Relative to the importing file; paths outside the project are ignored. */
function resolved(root: string, from: string, imported: string): string[] {
  if (imported.startsWith('~')) return [];
  const full = isAbsolute(imported) ? imported : join(root, dirname(from), imported);
  const path = relative(root, full);
  return path.startsWith('..') || isAbsolute(path) ? [] : [path.split(sep).join('/')];
}

function realPath(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return null;
  }
}
