import schema from '../../schemas/template.schema.json' with { type: 'json' };
import { describeSchemaError, schemaErrorFrom, type SchemaError } from '../settings/settings.ts';
import { closestMatch } from '../text/closest-match.ts';
import { ownMember } from '../text/json.ts';
import { quoted, type LineOf, type Path, type Problem } from '../text/problem.ts';
import type { Template } from './template-types.generated.ts';
import validate from './template-validator.generated.js';

export function isTemplate(value: unknown): value is Template {
  return validate(value);
}

/**
 * Each violation of the schema, with its line. A template that extends another inherits every key except those that
 * identify its parts.
 */
export function shapeProblems(
  value: unknown,
  lineOf: LineOf,
  completeness: 'whole' | 'part',
): Problem[] {
  if (isTemplate(value)) return [];
  return (validate.errors ?? [])
    .filter(
      ({ keyword, params }) =>
        completeness === 'whole' ||
        keyword !== 'required' ||
        NEVER_INHERITED.has(String(params['missingProperty'])),
    )
    .map((error) => schemaErrorFrom(error, value))
    .map((error) => ({
      line: lineOf(error.path),
      message: describe(error, elementAt(value, error.path)),
    }));
}

const NEVER_INHERITED = new Set(['name', 'id', 'from', 'to']);

function describe(error: SchemaError, { part, keys, rest: [key, entry] }: Element): string {
  if (error.keyword === 'additionalProperties') return inPart(part, unknownKey(String(key), keys));
  const problem = describeValue(error);
  if (key === undefined) return `${part === '' ? 'the template' : part} ${problem}`;
  const field = `${entry === undefined ? '' : `entry ${Number(entry) + 1} of `}${quoted(String(key))}`;
  return inPart(part, `${field} ${problem}`);
}

function unknownKey(key: string, keys: string[]): string {
  if (key === '<<') return 'merge keys (<<) are not supported; use "extends", or repeat the lines';
  const near = closestMatch(key, keys);
  const known = keys.filter((name) => name !== '$schema').join(', ');
  return `unknown key ${quoted(key)}; ${near === undefined ? `available: ${known}` : `did you mean "${near}"?`}`;
}

/** The end of a sentence about the value. */
function describeValue(error: SchemaError): string {
  const key = error.path.at(-1);
  const { step, artifact } = schema.definitions;
  if (error.keyword === 'required')
    return key === 'type'
      ? `is missing; it must be one of ${(error.path[0] === 'steps' ? step : artifact).properties.type.enum.join(', ')}`
      : 'is missing';
  // `description:` without a value is null in YAML.
  if (error.given === null) return 'is empty';
  if (key !== 'n' && key !== 'max_pivots' && key !== 'max_retries')
    return describeSchemaError(error);
  const { minimum, maximum } = key === 'n' ? step.properties.n : schema.properties[key];
  return `must be a whole number from ${minimum} to ${maximum}`;
}

/** A part of a template that has a name of its own, and the rest of a path inside it. */
interface Element {
  /** As messages name it; empty for the template itself. */
  part: string;
  keys: string[];
  rest: Path;
}

export function elementAt(template: unknown, path: Path): Element {
  const [section, first, second] = path;
  const { step, transition, agent, input, subStep, artifact } = schema.definitions;
  const element = (part: string, { properties }: { properties: object }, at: number): Element => ({
    part,
    keys: Object.keys(properties),
    rest: path.slice(at),
  });
  const name = quoted(String(first));
  /** Parts in a list are named by their id, or by their place if they have none. */
  const nameAt = (at: number): string => {
    const id = valueAt(template, [...path.slice(0, at), 'id']);
    return typeof id === 'string' ? quoted(id) : String(Number(path[at - 1]) + 1);
  };
  if (section === 'critical_artifacts')
    return second === undefined
      ? element(section, schema.properties.critical_artifacts, 1)
      : element(`${String(first)}, artifact ${nameAt(3)}`, artifact, 3);
  if (first === undefined) return element('', schema, 0);
  if (section === 'steps') return element(`step ${nameAt(2)}`, step, 2);
  if (section === 'transitions') return element(`transition ${Number(first) + 1}`, transition, 2);
  if (section === 'agents') return element(`agent ${name}`, agent, 2);
  if (section === 'inputs') return element(`input ${name}`, input, 2);
  if (section !== 'loops') return element('', schema, 0);
  return second === undefined
    ? { part: `loop ${name}`, keys: [], rest: [] }
    : element(`loop ${name}, sub-step ${nameAt(3)}`, subStep, 3);
}

export function inPart(part: string, message: string): string {
  return part === '' ? message : `${part}: ${message}`;
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.map(String).reduce(ownMember, value);
}
