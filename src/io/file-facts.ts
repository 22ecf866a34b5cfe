import { statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import type { FileFact } from '../guidance/reading-list.ts';
import { digestOf } from './digest.ts';
import { isInside, placeOf, readTextFile } from './read-file.ts';

const MAX_BYTES = 1_000_000;

/** Claude Code keeps these in every request by itself. */
const LOADED_BY_THE_HOST = new Set(['CLAUDE.md', 'CLAUDE.local.md', '.claude/CLAUDE.md']);

export function factOfFile(root: string, path: string): FileFact {
  if (LOADED_BY_THE_HOST.has(path)) return { kind: 'host' };
  const full = isAbsolute(path) ? path : join(root, path);
  if (path.startsWith('~') || !isInside(resolve(root), resolve(full))) return { kind: 'outside' };
  const place = placeOf(root, full);
  if (place === 'outside the project') return { kind: 'outside' };
  if (place !== 'inside') return { kind: 'missing' };
  const stat = statSync(full);
  if (!stat.isFile() && !stat.isDirectory()) return { kind: 'missing' };
  return {
    kind: 'present',
    digest: () => {
      const file = readTextFile(full, MAX_BYTES);
      return file.kind === 'text' ? digestOf(file.text) : undefined;
    },
  };
}
