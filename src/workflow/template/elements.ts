import schema from '../../../schemas/template.schema.json' with { type: 'json' };
import { isObject } from '../../util/json.ts';
import { quoted, type Path } from '../../util/problem.ts';

/** A part of a template that has a name of its own, and the rest of a path inside it. */
export interface Element {
  /** As messages name it; empty for the template itself. */
  part: string;
  keys: string[];
  rest: Path;
}

const { definitions } = schema;

export function elementAt(template: unknown, path: Path): Element {
  const [section, first, second] = path;
  const element = (part: string, { properties }: { properties: object }, at: number): Element => ({
    part,
    keys: Object.keys(properties),
    rest: path.slice(at),
  });
  const name = quoted(String(first));
  const nameAt = (at: number): string => partName(template, path.slice(0, at));
  if (section === 'critical_artifacts')
    return second === undefined
      ? element(section, schema.properties.critical_artifacts, 1)
      : element(`${String(first)}, artifact ${nameAt(3)}`, definitions.artifact, 3);
  if (first === undefined) return element('', schema, 0);
  switch (section) {
    case 'steps':
      return element(`step ${nameAt(2)}`, definitions.step, 2);
    case 'transitions':
      return element(`transition ${Number(first) + 1}`, definitions.transition, 2);
    case 'agents':
      return element(`agent ${name}`, definitions.agent, 2);
    case 'inputs':
      return element(`input ${name}`, definitions.input, 2);
    case 'loops':
      return second === undefined
        ? { part: `loop ${name}`, keys: [], rest: [] }
        : element(`loop ${name}, sub-step ${nameAt(3)}`, definitions.subStep, 3);
    default:
      return element('', schema, 0);
  }
}

/** Parts in a list are named by their id, or by their place if they have none. */
function partName(template: unknown, path: Path): string {
  const element = valueAt(template, path);
  const id = isObject(element) ? element['id'] : undefined;
  return typeof id === 'string' ? quoted(id) : String(Number(path.at(-1)) + 1);
}

export function inPart(part: string, message: string): string {
  return part === '' ? message : `${part}: ${message}`;
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
