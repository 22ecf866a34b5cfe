import { isObject } from '../util/json.ts';

/** A JSON value without the parts at these paths, each as `pathKey` gives it; undefined where nothing is left. */
export function without(
  lost: ReadonlySet<string>,
  value: unknown,
  path: readonly string[] = [],
): unknown {
  if (lost.has(pathKey(path))) return undefined;
  const kept = (key: string, part: unknown): [string, unknown][] => {
    const left = without(lost, part, [...path, key]);
    return left === undefined ? [] : [[key, left]];
  };
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => kept(String(index), item).map(([, left]) => left));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([key, part]) => kept(key, part)));
}

export function pathKey(path: readonly string[]): string {
  return JSON.stringify(path);
}
