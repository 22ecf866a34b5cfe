import { isObject, type JsonObject } from '../text/json.ts';
import type { Path } from '../text/problem.ts';

/** The parent with what the child says: parts are merged by their names, everything else is replaced. */
export function extended(parent: JsonObject, child: JsonObject): JsonObject {
  const { extends: _extends, ...own } = child;
  const merged: JsonObject = { ...parent, ...own };
  const both = (key: string, merge: (a: unknown, b: unknown) => unknown): JsonObject =>
    Object.hasOwn(parent, key) && Object.hasOwn(own, key)
      ? { [key]: merge(parent[key], own[key]) }
      : {};
  return {
    ...merged,
    ...both('steps', mergedLists),
    ...both('transitions', mergedLists),
    ...both('agents', (a, b) => mergedEntries(a, b, mergedFields)),
    ...both('inputs', (a, b) => mergedEntries(a, b, mergedFields)),
    ...both('loops', (a, b) => mergedEntries(a, b, mergedLists)),
    ...both('critical_artifacts', (a, b) => mergedEntries(a, b, mergedLists)),
  };
}

/** Where the child says what stands at a path of the merged template, or nothing where that is the parent's. */
export function pathInChild(
  merged: unknown,
  child: unknown,
  path: Path,
  depth = 0,
): Path | undefined {
  const [part, ...rest] = path;
  if (part === undefined) return [];
  if (Array.isArray(merged) && Array.isArray(child)) {
    const item: unknown = merged[Number(part)];
    const index = child.findIndex((own) => keyOf(own) === keyOf(item));
    return index < 0 ? undefined : under(index, pathInChild(item, child[index], rest, depth + 1));
  }
  if (!isObject(merged) || !isObject(child)) return undefined;
  // A step or an agent that the child changes is the child's, also in the fields it leaves alone.
  if (!Object.hasOwn(child, part)) return depth >= ELEMENT_DEPTH ? [] : undefined;
  return under(part, pathInChild(merged[part], child[part], rest, depth + 1));
}

const ELEMENT_DEPTH = 2;

function under(part: string | number, path: Path | undefined): Path | undefined {
  return path === undefined ? undefined : [part, ...path];
}

function mergedLists(parent: unknown, child: unknown): unknown[] {
  const items = new Map<string, unknown>(asList(parent).map((item) => [keyOf(item), item]));
  for (const item of asList(child))
    items.set(keyOf(item), mergedFields(items.get(keyOf(item)), item));
  return [...items.values()];
}

function mergedEntries(
  parent: unknown,
  child: unknown,
  merge: (a: unknown, b: unknown) => unknown,
): unknown {
  if (!isObject(parent) || !isObject(child)) return child;
  const added = Object.entries(child).map(([key, value]): [string, unknown] => [
    key,
    Object.hasOwn(parent, key) ? merge(parent[key], value) : value,
  ]);
  return { ...parent, ...Object.fromEntries(added) };
}

function mergedFields(parent: unknown, child: unknown): unknown {
  return isObject(parent) && isObject(child) ? { ...parent, ...child } : child;
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Transitions have no id: their ends name them. */
function keyOf(item: unknown): string {
  const { id, from, to } = isObject(item) ? item : {};
  return JSON.stringify(id === undefined ? [from, to] : [id]);
}
