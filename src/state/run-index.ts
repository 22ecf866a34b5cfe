import { isObject } from './json.ts';

/** With fewer runs than this the files themselves are read as quickly. */
export const MANY_RUNS = 50;
export const MAX_INDEX_BYTES = 5_000_000;

/** What a state file held when it had this mark. */
export interface Indexed {
  mark: string;
  json: unknown;
}

/**
 * `workflow-state/runs.json`: what each of many state files held, so that one that was not touched since need not
 * be read. It decides nothing: without it, or where a mark differs, the files are read.
 */
export type RunIndex = Readonly<Record<string, unknown>>;

export function indexFrom(text: string): RunIndex {
  try {
    const json: unknown = JSON.parse(text);
    return isObject(json) && json.version === 1 && isObject(json.runs) ? json.runs : {};
  } catch {
    // Damaged: the files are read, and the next writer makes another.
    return {};
  }
}

export function indexedAt(index: RunIndex, path: string): Indexed | undefined {
  const entry = Object.hasOwn(index, path) ? index[path] : undefined;
  return Array.isArray(entry) && typeof entry[0] === 'string'
    ? { mark: entry[0], json: entry[1] }
    : undefined;
}

/** As much of it as may be read again. */
export function indexText(runs: Iterable<readonly [path: string, indexed: Indexed]>): string {
  const entries: string[] = [];
  let size = 0;
  for (const [path, { mark, json }] of runs) {
    const entry = `${JSON.stringify(path)}:${JSON.stringify([mark, json])}`;
    size += Buffer.byteLength(entry) + 2;
    if (size > MAX_INDEX_BYTES - 100) break;
    entries.push(entry);
  }
  return `{"version":1,"runs":{\n${entries.join(',\n')}\n}}\n`;
}
