import { isObject, type JsonObject } from '../text/json.ts';
import type { Path } from '../text/problem.ts';

/** The parent with what the child says: parts are merged by their names, everything else is replaced. */
export function extended(
  parent: JsonObject,
  { extends: _extends, ...child }: JsonObject,
): JsonObject {
  return mergedFields(parent, child, 0);
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

/** The fields of a part, such as a step or an agent, are replaced as a whole. */
function mergedFields(parent: JsonObject, child: JsonObject, depth: number): JsonObject {
  const fields = Object.entries(child).map(([key, value]): [string, unknown] => [
    key,
    depth < ELEMENT_DEPTH && Object.hasOwn(parent, key)
      ? mergedParts(parent[key], value, depth + 1)
      : value,
  ]);
  return { ...parent, ...Object.fromEntries(fields) };
}

function mergedParts(parent: unknown, child: unknown, depth: number): unknown {
  if (isObject(parent) && isObject(child)) return mergedFields(parent, child, depth);
  if (!Array.isArray(parent) || !Array.isArray(child)) return child;
  const items = new Map<string, unknown>(parent.map((item: unknown) => [keyOf(item), item]));
  for (const item of child)
    items.set(keyOf(item), mergedParts(items.get(keyOf(item)), item, ELEMENT_DEPTH));
  return [...items.values()];
}

/** Transitions have no id: their ends name them. */
function keyOf(item: unknown): string {
  const { id, from, to } = isObject(item) ? item : {};
  return JSON.stringify(id === undefined ? [from, to] : [id]);
}
