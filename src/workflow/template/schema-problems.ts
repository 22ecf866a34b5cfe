import schema from '../../../schemas/template.schema.json' with { type: 'json' };
import type { Problem } from '../../errors/problems.ts';
import { schemaErrorFrom, type SchemaError } from '../../errors/schema-errors.ts';
import type { PartDefect, PartField, ValueProblem } from '../../errors/template-defects.ts';
import { closestMatch } from '../../util/closest-match.ts';
import type { LineOf, Path } from '../../util/problem.ts';
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
    .map((error) => {
      const { part, keys, rest } = elementAt(value, error.path);
      const template = { kind: 'part', part, defect: defectOf(error, keys, rest) } as const;
      return { line: lineOf(error.path), defect: { kind: 'template', template } };
    });
}

const NEVER_INHERITED = new Set(['name', 'id', 'from', 'to']);

function isInherited({ keyword, params }: ValidationError): boolean {
  return keyword === 'required' && !NEVER_INHERITED.has(String(params['missingProperty']));
}

function defectOf(error: SchemaError, keys: string[], rest: Path): PartDefect {
  return error.keyword === 'additionalProperties'
    ? unknownKey(String(rest[0]), keys)
    : { kind: 'value', field: fieldAt(rest), problem: valueProblem(error) };
}

function unknownKey(key: string, keys: string[]): PartDefect {
  if (key === '<<') return { kind: 'merge_key' };
  const known = keys.filter((name) => name !== '$schema');
  return { kind: 'unknown_key', key, near: closestMatch(key, keys) ?? null, known };
}

function fieldAt([key, entry]: Path): PartField | null {
  if (key === undefined) return null;
  return { key: String(key), entry: entry === undefined ? null : Number(entry) + 1 };
}

function valueProblem(error: SchemaError): ValueProblem {
  const key = error.path.at(-1);
  if (error.keyword === 'required') {
    return key === 'type'
      ? { kind: 'missing_type', types: typesFor(error.path) }
      : { kind: 'missing' };
  }
  // `description:` without a value is null in YAML.
  if (error.given === null) return { kind: 'empty' };
  if (key === 'n' || key === 'max_pivots' || key === 'max_retries') return outOfRange(key);
  return { kind: 'schema', error };
}

function typesFor(path: Path): string[] {
  const { step, artifact } = schema.definitions;
  const { type } = path[0] === 'steps' ? step.properties : artifact.properties;
  return type.enum;
}

function outOfRange(key: 'n' | 'max_pivots' | 'max_retries'): ValueProblem {
  const { minimum: min, maximum: max } =
    key === 'n' ? schema.definitions.step.properties.n : schema.properties[key];
  return { kind: 'not_in_range', min, max };
}
