import type { RunState, StoredRun } from '../../state/types.ts';
import { isHolder, type OperationContext } from '../../sessions/open-project.ts';
import { holderOf } from '../../sessions/holder.ts';
import { canonicalPath, isInside } from '../../files/environment.ts';
import { realpathSync, statSync } from 'node:fs';
import { dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { WakeMarks } from '../../state/store/state-folder.ts';
import { ownMember } from '../../text/json.ts';
import { digestOf } from '../../text/slug.ts';
import { importedPaths } from '../../text/markdown/imports.ts';
import { denier } from '../../files/context-files.ts';
import { locate, readProjectFile, readTextFile, unlessRefused } from '../../files/read-file.ts';

export type ReadingState = 'in_context' | 'changed' | 'unread' | NotReadable;
/** Denied: a rule of the client's settings keeps the agent from reading it. */
type NotReadable = 'missing' | 'outside' | 'host' | 'denied';

export interface ReadingEntry {
  path: string;
  state: ReadingState;
}

/** Whether the session can open the file. */
export function isReadable({ state }: ReadingEntry): boolean {
  return state === 'unread' || state === 'changed' || state === 'in_context';
}

/** A required file on disk. The digest is a function because most callers do not need it. */
export type FileStatus =
  | { kind: 'present'; digest: () => string | undefined }
  | { kind: NotReadable };

export interface ProjectFiles {
  root: string;
  statusOf: (path: string) => FileStatus;
}

/** Every required file once, even if it is listed under several spellings. */
export function readingList(state: RunState, files: ProjectFiles): ReadingEntry[] {
  const loaded = new Map(
    (state.context_metadata?.artifacts_in_context ?? []).map((entry) => [entry.artifact_id, entry]),
  );
  return requiredPaths(state, files.root).map((path) => {
    const status = files.statusOf(path.slice(1));
    if (status.kind !== 'present') return { path, state: status.kind };
    const entry = loaded.get(path);
    if (entry === undefined) return { path, state: 'unread' };
    return { path, state: entry.digest === status.digest() ? 'in_context' : 'changed' };
  });
}

/** One spelling for each file: `@./docs//a.md` becomes `@docs/a.md`, and `@out/{run_id}.md` has the run's id. */
export function requiredPaths(
  { required_reading: reading, run_id, context }: RunState,
  root: string,
): string[] {
  const idOf = (all: string, name: string): string => {
    const id = ownMember({ ...context, run_id }, name);
    return typeof id === 'string' || typeof id === 'number' ? String(id) : all;
  };
  const canonical = (entry: string): string =>
    // A repository may bring a list of a hundred thousand files.
    /^@\w[\w-]*(?:[./][\w-]+)*$/.test(entry)
      ? entry
      : `@${canonicalPath(root, entry.slice(1).replaceAll(/\{((?:run|plan|work)_id)\}/g, idOf))}`;
  return [...new Set(reading.map(canonical))];
}

/** Tests whether a path, in the form stored in runs, is a required file. */
export function requires(reading: readonly ReadingEntry[]): (path: string) => boolean {
  const required = new Set(reading.map(({ path }) => path.slice(1)));
  return (path) => required.has(fromRoot(path));
}

function fromRoot(path: string): string {
  if (path.startsWith('/')) return path;
  const parts = path.replace(/^\{project_root\}\//, '').split('/');
  return parts.filter((part) => part !== '' && part !== '.').join('/');
}

/** Of larger files, hooks do not know whether they were read. */
export const MAX_READ_BYTES = 1_000_000;

/** Folders, binary files and very large ones are not. */
export function isTextFile(root: string, path: string): boolean {
  return readProjectFile(root, path, MAX_READ_BYTES).kind === 'text';
}

/** A repository may require any number of files: those beyond this number are assumed to exist, and not read. */
export const MAX_LOOKUPS = 1_000;
const MAX_TOTAL_BYTES = 20_000_000;

/** Looks up required files on disk; the files that the host loads are determined once. */
export function projectFiles(root: string, launchFolder?: string): ProjectFiles {
  const loadedByHost = filesLoadedByHost(root, launchFolder);
  const left = { lookups: MAX_LOOKUPS, bytes: MAX_TOTAL_BYTES };
  const isDenied = denier(root);
  return {
    root,
    statusOf: (path) => {
      if (loadedByHost.has(path)) return { kind: 'host' };
      const status = fileStatus(root, path, left);
      return status.kind === 'present' && isDenied(path) ? { kind: 'denied' } : status;
    },
  };
}

function fileStatus(
  root: string,
  path: string,
  left: { lookups: number; bytes: number },
): FileStatus {
  if (left.lookups <= 0) return { kind: 'present', digest: () => undefined };
  left.lookups -= 1;
  const full = isAbsolute(path) ? path : join(root, path);
  if (path.startsWith('~') || !isInside(resolve(root), resolve(full))) return { kind: 'outside' };
  const place = locate(root, full);
  if (place === 'outside the project') return { kind: 'outside' };
  if (place !== 'inside') return { kind: 'missing' };
  const stat = statSync(full);
  if (!stat.isFile() && !stat.isDirectory()) return { kind: 'missing' };
  return {
    kind: 'present',
    digest: () => {
      const file = readTextFile(full, Math.min(left.bytes, MAX_READ_BYTES));
      left.bytes -= file.kind === 'text' ? file.text.length : 0;
      return file.kind === 'text' ? digestOf(file.text) : undefined;
    },
  };
}

const MEMORY_FILES: readonly string[] = ['CLAUDE.md', '.claude/CLAUDE.md', 'CLAUDE.local.md'];
/** The host follows imports to this depth. */
const MAX_DEPTH = 4;
/** Limits for all files together, because a file may import any number of others. */
const MAX_IMPORTS = 500;
const MAX_IMPORTED_BYTES = 1_000_000;

/**
 * The host imports only files whose extension it takes for text. It knows more of them, but a file that is asked for
 * needlessly costs less than one that nobody reads.
 */
const IMPORTED_EXTENSIONS = new Set('.md .txt .json .yaml .yml .toml .xml .csv .html'.split(' '));

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
  let left = MAX_IMPORTED_BYTES;
  let level: readonly string[] = MEMORY_FILES;
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth += 1) {
    level = level.flatMap((path) => {
      if (tried.has(path) || tried.size >= MAX_IMPORTS) return [];
      tried.add(path);
      const file = readProjectFile(root, path, left);
      if (file.kind !== 'text') return [];
      left -= file.text.length;
      loaded.add(path);
      if (launch !== '') return [];
      return importedPaths(file.text)
        .slice(0, MAX_IMPORTS)
        .filter((imported) => IMPORTED_EXTENSIONS.has(extname(imported)))
        .flatMap((imported) => resolveImport(root, path, imported));
    });
  }
  return loaded;
}

/** Empty for the root itself, null for a folder outside of it. */
function pathBelow(root: string, folder: string): string | null {
  if (folder === root) return '';
  const real = (path: string): string | null => unlessRefused(() => realpathSync.native(path));
  const [top, below] = [real(root), real(folder)];
  return top === null || below === null || !isInside(top, below) ? null : relative(top, below);
}

/** Relative to the importing file; paths outside the project are ignored. */
function resolveImport(root: string, from: string, imported: string): string[] {
  if (imported.startsWith('~')) return [];
  const full = isAbsolute(imported) ? imported : join(root, dirname(from), imported);
  const path = relative(root, full);
  return path.startsWith('..') || isAbsolute(path) ? [] : [path.split(sep).join('/')];
}
/** The required files as the calling session has them. */
export function readingOf(context: OperationContext, run: StoredRun): ReadingEntry[] {
  const { state } = seenFromHere(context, run);
  const reading = readingList(state, projectFiles(context.root, context.launchFolder));
  const holder = holderOf(state);
  // So that the holder's next Read of a file that has changed is recorded.
  if (holder !== null && reading.some((entry) => entry.state === 'changed'))
    new WakeMarks(context.config).wake(holder, ['PostToolUse']);
  return reading;
}

/** A person's terminal sees what the session that holds the run has in its context, another session that it has nothing. */
export function seenFromHere(context: OperationContext, run: StoredRun): StoredRun {
  const isSeen = context.session === null || isHolder(context, run);
  if (isSeen && holderOf(run.state) !== null) return run;
  const { context_metadata: _ofTheHolder, ...state } = run.state;
  return { ...run, state };
}
