import { statSync } from 'node:fs';
import { join } from 'node:path';
import { contextReader } from '../../files/context-files.ts';
import { loadFile, MAX_BYTES } from './load-file.ts';
import { filesBelow, type FilesBelow } from './files-below.ts';
import { formatSize } from '../../text/relative-time.ts';
import type { Artifact, Loaded } from './types.ts';

const MAX_FILES = 200;
const MAX_NAMED = 20;

export function loadDirectory(
  root: string,
  path: string,
  strategy: Artifact['load_strategy'],
): Loaded {
  const found = filesBelow(root, path);
  if (found.closed.includes(path)) return { kind: 'refused', why: 'not permitted', path };
  if (found.files.length + found.closed.length === 0) return { kind: 'empty', path };
  if (strategy === 'latest_only') return latest(root, path, found.files);
  const text = strategy === 'summary' ? names(root, found) : contents(root, found);
  return { kind: 'text', text, size: Buffer.byteLength(text), path };
}

/** Of files of the same moment the last by name. */
function latest(root: string, folder: string, files: string[]): Loaded {
  let newest: string | undefined;
  let time = -Infinity;
  for (const file of files) {
    const modified = statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? -Infinity;
    if (modified < time) continue;
    newest = file;
    time = modified;
  }
  const file = newest === undefined ? undefined : loadFile(root, newest, false);
  return file ?? { kind: 'empty', path: folder };
}

function names(root: string, found: FilesBelow): string {
  const lines = found.files.slice(0, MAX_FILES).map((file) => {
    const size = statSync(join(root, file), { throwIfNoEntry: false })?.size;
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
