import { isObject, type JsonObject } from '../../util/json.ts';

/** With fewer runs than this the files themselves are read as quickly. */
export const MANY_RUNS = 50;
export const MAX_INDEX_BYTES = 5_000_000;

/** What a state file held when it had this mark. */
export interface Indexed {
  mark: string;
  json: unknown;
}

/** What a folder held when it had this mark. */
export interface IndexedFolder {
  mark: string;
  names: string[];
}

/**
 * `workflow-state/runs.json`: what each of many state files held, and each of their folders, so that what was not
 * touched since need not be read. It decides nothing: without it, or where a mark differs, the files are read.
 */
export interface RunIndex {
  runs: JsonObject;
  folders: JsonObject;
}

export const NO_INDEX: RunIndex = { runs: {}, folders: {} };

export function indexFrom(text: string): RunIndex {
  try {
    const json: unknown = JSON.parse(text);
    if (!isObject(json) || json['version'] !== 1 || !isObject(json['runs'])) return NO_INDEX;
    return { runs: json['runs'], folders: isObject(json['folders']) ? json['folders'] : {} };
  } catch {
    // Damaged: the files are read, and the next writer makes another.
    return NO_INDEX;
  }
}

export function indexedAt({ runs }: RunIndex, path: string): Indexed | undefined {
  const entry = Object.hasOwn(runs, path) ? runs[path] : undefined;
  return Array.isArray(entry) && typeof entry[0] === 'string'
    ? { mark: entry[0], json: entry[1] }
    : undefined;
}

export function indexedFolder({ folders }: RunIndex, name: string): IndexedFolder | undefined {
  const entry = Object.hasOwn(folders, name) ? folders[name] : undefined;
  if (!Array.isArray(entry)) return undefined;
  const [mark, ...names]: unknown[] = entry;
  return typeof mark === 'string' && names.every((each) => typeof each === 'string')
    ? { mark, names }
    : undefined;
}

/** As much of it as may be read again. */
export function indexText(
  runs: Iterable<readonly [path: string, indexed: Indexed]>,
  folders: Iterable<readonly [name: string, indexed: IndexedFolder]>,
): string {
  let left = MAX_INDEX_BYTES - 100;
  const fitting = (entries: string[]): string =>
    entries
      .filter((entry) => {
        left -= Buffer.byteLength(entry) + 2;
        return left >= 0;
      })
      .join(',\n');
  const first = fitting(
    Array.from(folders, ([name, { mark, names }]) => member(name, [mark, ...names])),
  );
  const second = fitting(Array.from(runs, ([path, { mark, json }]) => member(path, [mark, json])));
  return `{"version":1,"folders":{\n${first}\n},"runs":{\n${second}\n}}\n`;
}

function member(key: string, value: unknown): string {
  return `${JSON.stringify(key)}:${JSON.stringify(value)}`;
}
