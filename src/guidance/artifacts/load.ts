import { readdirSync, statSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { contextReader } from '../../files/context-files.ts';
import { errorCode, locate } from '../../files/read-file.ts';
import type { StoredRun } from '../../state/types.ts';
import { scanMarkdown } from '../../text/markdown/scan.ts';
import { formatSize } from '../../text/relative-time.ts';
import { truncate } from '../../text/sanitize.ts';
import { gitInfo } from './git-info.ts';
import { loadFile, loadPlain, MAX_BYTES, type Artifact, type Loaded } from './load-plain.ts';

/** `loadPlain` with all that it leaves out to be small enough for hooks. */
export function loadArtifact(artifact: Artifact, run: StoredRun, root: string): Loaded {
  return loadPlain(artifact, run, root, { directory: loadDirectory, gitInfo, summary: summarised });
}

const MAX_FILES = 200;
const MAX_NAMED = 20;
const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 20;

function loadDirectory(root: string, path: string, strategy: Artifact['load_strategy']): Loaded {
  const found = filesBelow(root, path);
  if (found.closed.includes(path)) return { kind: 'refused', why: 'not permitted', path };
  if (found.files.length + found.closed.length === 0) return { kind: 'empty', path };
  if (strategy === 'latest_only') return latest(root, found.files) ?? { kind: 'empty', path };
  const text = strategy === 'summary' ? names(root, found) : contents(root, found);
  return { kind: 'text', text, size: Buffer.byteLength(text), path };
}

/** Of files of the same moment the last by name. */
function latest(root: string, files: string[]): Loaded | undefined {
  const dated = files.map((file) => ({ file, time: statOf(root, file)?.mtimeMs ?? 0 }));
  const newest = dated.toSorted((a, b) => a.time - b.time).at(-1);
  return newest === undefined ? undefined : loadFile(root, newest.file, false);
}

function statOf(root: string, file: string) {
  return statSync(join(root, file), { throwIfNoEntry: false });
}

function names(root: string, found: FilesBelow): string {
  const lines = found.files.slice(0, MAX_FILES).map((file) => {
    const size = statOf(root, file)?.size;
    return size === undefined ? file : `${file} (${formatSize(size)})`;
  });
  return [...lines, ...leftOut(found, [])].join('\n');
}

function contents(root: string, found: FilesBelow): string {
  const parts: string[] = [];
  const refused: string[] = [];
  let left = MAX_BYTES;
  const read = contextReader(root);
  for (const file of found.files.slice(0, MAX_FILES)) {
    const reading = read(file, left);
    if (reading.kind === 'text') {
      left -= Buffer.byteLength(reading.text);
      parts.push(`--- ${file} ---`, reading.text.replace(/\r?\n$/, ''), '');
    } else if (reading.kind === 'refused') {
      refused.push(`${file} (${reading.why})`);
    }
  }
  return [...parts, ...leftOut(found, refused)].join('\n').trimEnd();
}

function leftOut({ files, closed, isCut }: FilesBelow, refused: string[]): string[] {
  const named = [...refused, ...closed.map((folder) => `${folder} (not permitted)`)];
  const rest = Math.max(0, files.length - MAX_FILES) + Math.max(0, named.length - MAX_NAMED);
  const rough = isCut ? 'at least ' : '';
  const parts = [
    ...named.slice(0, MAX_NAMED),
    ...(rest > 0 ? [`${rough}${rest} more files`] : isCut ? ['what comes after these'] : []),
  ];
  return parts.length === 0 ? [] : [`Left out: ${parts.join(', ')}`];
}

interface FilesBelow {
  /** From the project root, in the order of their names. */
  files: string[];
  /** Folders that could not be looked into. */
  closed: string[];
  /** There was more than is ever looked at. */
  isCut: boolean;
}

/** The files below a folder, without hidden ones and node_modules. A link to a folder is never walked. */
function filesBelow(root: string, folder: string): FilesBelow {
  const found: FilesBelow = { files: [], closed: [], isCut: false };
  let seen = 0;
  const walk = (path: string, depth: number): void => {
    const entries = depth > MAX_DEPTH ? undefined : entriesOf(join(root, path));
    if (entries === undefined) {
      found.closed.push(path);
      return;
    }
    for (const entry of entries) {
      if (seen === MAX_ENTRIES) {
        found.isCut = true;
        return;
      }
      seen += 1;
      const below = path === '.' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) walk(below, depth + 1);
      else if (isFile(root, below, entry)) found.files.push(below);
    }
  };
  walk(folder, 0);
  return found;
}

function entriesOf(folder: string): Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    if (code === 'EACCES' || code === 'EPERM') return undefined;
    throw error;
  }
}

function isFile(root: string, path: string, entry: Dirent): boolean {
  if (!entry.isSymbolicLink()) return entry.isFile();
  return locate(root, join(root, path)) === 'inside' && statOf(root, path)?.isFile() === true;
}

const MAX_LINES = 200;
const MAX_CHARACTERS = 200;

/** A file's content in short: the outermost entries of JSON, the headings of anything else. */
export function summarised(file: Loaded, type: Artifact['type']): Loaded {
  if (file.kind !== 'text' || file.note !== undefined) return file;
  const lines = type === 'json' ? jsonSummary(file.text) : markdownSummary(file.text);
  const left = lines.length - MAX_LINES;
  const shown = lines.slice(0, MAX_LINES).map((line) => truncate(line, MAX_CHARACTERS));
  const text = [...shown, ...(left > 0 ? [`… and ${left} more lines`] : [])].join('\n');
  return { ...file, text, size: Buffer.byteLength(text), note: 'a summary' };
}

/** The headings of a text, each with the first line below it. */
function markdownSummary(text: string): string[] {
  let isFirst = true;
  return scanMarkdown(text).flatMap((line) => {
    if (line.heading !== undefined) {
      isFirst = true;
      return [`${'#'.repeat(line.heading.level)} ${line.heading.text}`];
    }
    if (!isFirst || line.kind === 'code' || line.text.trim() === '') return [];
    isFirst = false;
    return [line.text];
  });
}

/** The entries of the outermost object or list. */
function jsonSummary(text: string): string[] {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value)];
  return Object.entries(value).map(([key, member]) => `${key}: ${JSON.stringify(member)}`);
}
