import schema from '../../../schemas/template.schema.json' with { type: 'json' };
import { closestMatch } from '../../util/closest-match.ts';
import {
  describeSchemaError,
  schemaErrorFrom,
  type SchemaError,
} from '../../errors/schema-errors.ts';
import { quoted, type LineOf, type Path, type Problem } from '../../util/problem.ts';
import { elementAt } from './elements.ts';
import type { Template } from './template-types.generated.ts';
import validate, { type ValidationError } from './template-validator.generated.js';

/** A template that extends another inherits every key except those that identify its parts. */
export type Completeness = 'whole' | 'part';

export function isTemplate(value: unknown): value is Template {
  return validate(value);
}

/** Each violation of the schema, with its line. */
export function shapeProblems(
  value: unknown,
  lineOf: LineOf,
  completeness: Completeness,
): Problem[] {
  if (isTemplate(value)) return [];
  return (validate.errors ?? [])
    .filter((error) => completeness === 'whole' || !isInherited(error))
    .map((error) => schemaErrorFrom(error, value))
    .map((error) => ({ line: lineOf(error.path), message: sentence(value, error) }));
}

const NEVER_INHERITED = new Set(['name', 'id', 'from', 'to']);

function isInherited({ keyword, params }: ValidationError): boolean {
  return keyword === 'required' && !NEVER_INHERITED.has(String(params['missingProperty']));
}

function sentence(template: unknown, error: SchemaError): string {
  const { words, keys, rest } = elementAt(template, error.path);
  const lead = words === '' ? '' : `${words}: `;
  if (error.keyword === 'additionalProperties') return lead + unknownKey(String(rest[0]), keys);
  const subject = subjectOf(rest);
  if (subject === '') {
    return `${words === '' ? 'the template' : words} ${predicate(error)}`;
  }
  return `${lead}${subject} ${predicate(error)}`;
}

function unknownKey(key: string, keys: string[]): string {
  if (key === '<<') return 'merge keys (<<) are not supported; use "extends", or repeat the lines';
  const meant = closestMatch(key, keys);
  return meant === undefined
    ? `unknown key ${quoted(key)}; available: ${keys.filter((name) => name !== '$schema').join(', ')}`
    : `unknown key ${quoted(key)}; did you mean "${meant}"?`;
}

function subjectOf([key, entry]: Path): string {
  if (key === undefined) return '';
  return entry === undefined
    ? quoted(String(key))
    : `entry ${Number(entry) + 1} of ${quoted(String(key))}`;
}

function predicate(error: SchemaError): string {
  const key = error.path.at(-1);
  if (error.keyword === 'required' && key === 'type') return `is missing; ${typesFor(error.path)}`;
  if (error.keyword === 'required') return 'is missing';
  // `description:` without a value is null in YAML.
  if (error.given === null) return 'is empty';
  if (key === 'n' || key === 'max_pivots' || key === 'max_retries') return wholeNumber(key);
  return describeSchemaError(error);
}

function typesFor(path: Path): string {
  const { step, artifact } = schema.definitions;
  const { type } = path[0] === 'steps' ? step.properties : artifact.properties;
  return `it must be one of ${type.enum.join(', ')}`;
}

function wholeNumber(key: 'n' | 'max_pivots' | 'max_retries'): string {
  const { minimum, maximum } =
    key === 'n' ? schema.definitions.step.properties.n : schema.properties[key];
  return `must be a whole number from ${minimum} to ${maximum}`;
}
