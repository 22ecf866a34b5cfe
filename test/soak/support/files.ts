import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Every file below a folder: path → text, with times, names and fingerprints normalised. */
export type Files = ReadonlyMap<string, string>;

export function filesIn(folder: string): Files {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    names
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
      .map((path): [string, string] => [
        withoutTimes(path),
        withoutTimes(readFileSync(path, 'utf8')),
      ]),
  );
}

/** Without times, the names made of them, the marks by which a file is known to be untouched, and the machine's boot. */
export function withoutTimes(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME')
    .replaceAll(/\d{8}_\d{6}/g, 'SECOND')
    .replaceAll(/"mark": ?"[^"]*"/g, '"mark":"MARK"')
    .replaceAll(/,\s*"boot": ?"[^"]*"/g, '');
}

/** Files that exist only while a writer works, or after it was killed. */
export function isPassing(path: string): boolean {
  return /(?:^|\/)(?:\.tmp-|\.lock$|\.lock-taken-|\..+\.holdfast-\d+)/.test(
    path,
  );
}

/** Files that are appended to: readers skip an incomplete line. */
export function isGrowing(path: string): boolean {
  return path.endsWith('.jsonl') || path.endsWith('holdfast.log');
}

/** What V8 has compiled and what plans said, which are checked before they are used. */
export function isExpendable(path: string): boolean {
  return /(?:\.cache|readings-\w+\.json)(?:-\d+)?$/.test(path);
}
