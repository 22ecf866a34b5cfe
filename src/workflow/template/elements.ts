import schema from '../../../schemas/template.schema.json' with { type: 'json' };
import type { PartName, TemplatePart } from '../../errors/template-defects.ts';
import { isObject } from '../../util/json.ts';
import type { Path } from '../../util/problem.ts';

/** A part of a template that has a name of its own, and the rest of a path inside it. */
export interface Element {
  part: TemplatePart;
  keys: string[];
  rest: Path;
}

const { definitions } = schema;

export function elementAt(template: unknown, path: Path): Element {
  const [section, first, second] = path;
  const rest = (length: number): Path => path.slice(length);
  const nameAt = (length: number): PartName => partName(template, path.slice(0, length));
  if (section === 'steps' && first !== undefined) {
    const part = { kind: 'step', name: nameAt(2) } as const;
    return { part, keys: keysOf(definitions.step.properties), rest: rest(2) };
  }
  if (section === 'transitions' && first !== undefined) {
    const part = { kind: 'transition', name: { place: Number(first) + 1 } } as const;
    return { part, keys: keysOf(definitions.transition.properties), rest: rest(2) };
  }
  if (section === 'agents' && first !== undefined) {
    const part = { kind: 'agent', name: String(first) } as const;
    return { part, keys: keysOf(definitions.agent.properties), rest: rest(2) };
  }
  if (section === 'inputs' && first !== undefined) {
    const part = { kind: 'input', name: String(first) } as const;
    return { part, keys: keysOf(definitions.input.properties), rest: rest(2) };
  }
  if (section === 'loops' && first !== undefined) {
    const loop = String(first);
    if (second === undefined) return { part: { kind: 'loop', name: loop }, keys: [], rest: [] };
    const part = { kind: 'sub_step', loop, name: nameAt(3) } as const;
    return { part, keys: keysOf(definitions.subStep.properties), rest: rest(3) };
  }
  if (section === 'critical_artifacts' && second !== undefined) {
    const part = { kind: 'artifact', list: String(first), name: nameAt(3) } as const;
    return { part, keys: keysOf(definitions.artifact.properties), rest: rest(3) };
  }
  if (section === 'critical_artifacts') {
    const lists = keysOf(schema.properties.critical_artifacts.properties);
    return { part: { kind: 'critical_artifacts' }, keys: lists, rest: rest(1) };
  }
  return { part: { kind: 'template' }, keys: keysOf(schema.properties), rest: path };
}

function partName(template: unknown, path: Path): PartName {
  const element = valueAt(template, path);
  const id = isObject(element) ? element['id'] : undefined;
  return typeof id === 'string' ? { id } : { place: Number(path.at(-1)) + 1 };
}

export function valueAt(value: unknown, path: Path): unknown {
  let found = value;
  for (const part of path) {
    if (Array.isArray(found)) found = found[Number(part)];
    else if (isObject(found) && Object.hasOwn(found, part)) found = found[part];
    else return undefined;
  }
  return found;
}

function keysOf(properties: object): string[] {
  return Object.keys(properties);
}
