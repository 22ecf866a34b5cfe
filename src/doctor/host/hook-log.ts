import { join } from 'node:path';
import { sanitizeLine, truncate } from '../../util/sanitize.ts';
import { locate } from '../../io/read-file.ts';
import { LOG_FILE } from '../../state/paths.ts';
import { readEnd } from './read-end.ts';

const MAX_BYTES = 64_000;
const SHOWN = 3;

export interface Failures {
  lines: string[];
  /** NaN if the last line has no time. */
  lastAt: number;
}

/** The last failures that hooks have logged; null if there are none, undefined if the log cannot be read. */
export function lastFailures(root: string): Failures | null | undefined {
  const path = join(root, LOG_FILE);
  const place = locate(root, path);
  if (place === 'absent') return null;
  const lines = place === 'inside' ? readEnd(path, MAX_BYTES)?.slice(-SHOWN) : undefined;
  if (lines === undefined) return undefined;
  const last = lines.at(-1);
  if (last === undefined) return null;
  const shown = lines.map((line) => truncate(sanitizeLine(line), 300));
  return { lines: shown, lastAt: Date.parse(last.split(' ')[0] ?? '') };
}
