import { readdirSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { contextReader } from '../../files/context-files.ts';
import { locate, modifiedAt, unlessRefused } from '../../files/read-file.ts';
import { formatSize } from '../../text/relative-time.ts';
import { someOf } from '../frame.ts';
import { loadFile, MAX_BYTES, type Artifact, type Loaded } from './load-plain.ts';

const MAX_FILES = 200;
const MAX_NAMED = 20;
const MAX_ENTRIES = 20_000;

/** The files of a directory: their contents, only their names and sizes, or the newest of them. */
export function loadDirectory(
  root: string,
  path: string,
  strategy: Artifact['load_strategy'],
): Loaded {
  const { files, leftOut } = filesBelow(root, path);
  if (files.length === 0)
    return leftOut.length === 0
      ? { kind: 'empty', path }
      : { kind: 'refused', why: 'not permitted', path };
  if (strategy === 'latest_only') {
    // Of files of the same moment the last by name.
    const timeOf = (file: string): number => modifiedAt(join(root, file)) ?? 0;
    const newest = files.reduce((a, b) => (timeOf(a) > timeOf(b) ? a : b));
    return loadFile(root, newest, false) ?? { kind: 'empty', path };
  }
  const read = contextReader(root);
  let left = MAX_BYTES;
  const parts = files.slice(0, MAX_FILES).flatMap((file) => {
    if (strategy === 'summary') return [`${file} (${formatSize(statOf(root, file)?.size ?? 0)})`];
    const reading = read(file, left);
    if (reading.kind === 'refused') leftOut.push(`${file} (${reading.why})`);
    if (reading.kind !== 'text') return [];
    left -= Buffer.byteLength(reading.text);
    return [`--- ${file} ---`, reading.text.replace(/\r?\n$/, ''), ''];
  });
  if (leftOut.length > 0) parts.push(`Left out: ${someOf(leftOut, MAX_NAMED)}`);
  const text = parts.join('\n').trimEnd();
  return { kind: 'text', text, size: Buffer.byteLength(text), path, isDirectory: true };
}

/** The files below a folder, without hidden ones and node_modules. A link to a folder is never walked. */
function filesBelow(root: string, top: string): { files: string[]; leftOut: string[] } {
  const files: string[] = [];
  const leftOut: string[] = [];
  let left = MAX_ENTRIES;
  const walk = (folder: string): void => {
    const entries = unlessRefused(() => readdirSync(join(root, folder), { withFileTypes: true }));
    if (entries === null) leftOut.push(`${folder} (not permitted)`);
    for (const entry of entries?.toSorted((a, b) => (a.name < b.name ? -1 : 1)) ?? []) {
      left -= 1;
      const path = posix.join(folder, entry.name);
      if (/^(?:\.|node_modules$)/.test(entry.name) || left < 0) continue;
      if (entry.isDirectory()) walk(path);
      else if (locate(root, join(root, path)) === 'inside' && statOf(root, path)?.isFile())
        files.push(path);
    }
  };
  walk(top);
  const rest = files.length - MAX_FILES;
  if (rest > 0) leftOut.unshift(`${left < 0 ? 'at least ' : ''}${rest} more files`);
  return { files, leftOut };
}

function statOf(root: string, file: string) {
  return statSync(join(root, file), { throwIfNoEntry: false });
}
