import schema from '../../../schemas/template.schema.json' with { type: 'json' };
import { isObject } from '../../util/json.ts';
import { quoted, type Path } from '../../util/problem.ts';

/** A part of a template that has a name of its own, and the rest of a path inside it. */
export interface Element {
  /** Empty for the template itself. */
  words: string;
  keys: string[];
  rest: Path;
}

const { definitions } = schema;

export function elementAt(template: unknown, path: Path): Element {
  const [section, first, second] = path;
  const rest = (length: number): Path => path.slice(length);
  if (section === 'steps' && first !== undefined) {
    const words = numbered('step', template, path.slice(0, 2));
    return { words, keys: keysOf(definitions.step.properties), rest: rest(2) };
  }
  if (section === 'transitions' && first !== undefined) {
    const words = `transition ${Number(first) + 1}`;
    return { words, keys: keysOf(definitions.transition.properties), rest: rest(2) };
  }
  if (section === 'agents' && first !== undefined) {
    const words = `agent ${quoted(String(first))}`;
    return { words, keys: keysOf(definitions.agent.properties), rest: rest(2) };
  }
  if (section === 'inputs' && first !== undefined) {
    const words = `input ${quoted(String(first))}`;
    return { words, keys: keysOf(definitions.input.properties), rest: rest(2) };
  }
  if (section === 'loops' && first !== undefined) {
    const loop = `loop ${quoted(String(first))}`;
    if (second === undefined) return { words: loop, keys: [], rest: rest(2) };
    const words = `${loop}, ${numbered('sub-step', template, path.slice(0, 3))}`;
    return { words, keys: keysOf(definitions.subStep.properties), rest: rest(3) };
  }
  if (section === 'critical_artifacts' && second !== undefined) {
    const words = `${String(first)}, ${numbered('artifact', template, path.slice(0, 3))}`;
    return { words, keys: keysOf(definitions.artifact.properties), rest: rest(3) };
  }
  if (section === 'critical_artifacts') {
    const lists = keysOf(schema.properties.critical_artifacts.properties);
    return { words: 'critical_artifacts', keys: lists, rest: rest(1) };
  }
  return { words: '', keys: keysOf(schema.properties), rest: path };
}

/** By its id where it has one, else by its place. */
function numbered(noun: string, template: unknown, path: Path): string {
  const element = valueAt(template, path);
  const id = isObject(element) ? element['id'] : undefined;
  return `${noun} ${typeof id === 'string' ? quoted(id) : Number(path.at(-1)) + 1}`;
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
