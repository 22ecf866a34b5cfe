import schema from '../../../schemas/template.schema.json' with { type: 'json' };
import { closestMatch } from '../../util/closest-match.ts';
import { listed, quoted, type LineOf, type Path, type Problem } from '../../util/problem.ts';
import { elementAt, valueAt } from './elements.ts';
import type { Template } from './template-types.generated.ts';
import validate, { type ValidationError } from './template-validator.generated.js';

/** A template that extends another may leave out all but what names its parts. */
export type Completeness = 'whole' | 'part';

export function isTemplate(value: unknown): value is Template {
  return validate(value);
}

/** What the schema says against it, in sentences. */
export function shapeProblems(
  value: unknown,
  lineOf: LineOf,
  completeness: Completeness,
): Problem[] {
  if (isTemplate(value)) return [];
  return (validate.errors ?? [])
    .filter((error) => completeness === 'whole' || !isInherited(error))
    .map((error) => {
      const path = pathOf(error);
      return { line: lineOf(path), message: sentence(value, path, error) };
    });
}

const NEVER_INHERITED = new Set(['name', 'id', 'from', 'to']);

function isInherited({ keyword, params }: ValidationError): boolean {
  return keyword === 'required' && !NEVER_INHERITED.has(String(params['missingProperty']));
}

function pathOf({ instancePath, keyword, params }: ValidationError): Path {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (keyword === 'additionalProperties') return [...path, String(params['additionalProperty'])];
  if (keyword === 'required') return [...path, String(params['missingProperty'])];
  return path;
}

function sentence(template: unknown, path: Path, error: ValidationError): string {
  const { words, keys, rest } = elementAt(template, path);
  const lead = words === '' ? '' : `${words}: `;
  if (error.keyword === 'additionalProperties') return lead + unknownKey(String(rest[0]), keys);
  const subject = subjectOf(rest);
  if (subject === '') {
    return `${words === '' ? 'the template' : words} ${expectation(valueAt(template, path), path, error)}`;
  }
  return `${lead}${subject} ${expectation(valueAt(template, path), path, error)}`;
}

function unknownKey(key: string, keys: string[]): string {
  if (key === '<<') return 'merge keys (<<) are not supported; use "extends", or repeat the lines';
  const meant = closestMatch(key, keys);
  return meant === undefined
    ? `unknown key ${quoted(key)}; there are: ${keys.filter((name) => name !== '$schema').join(', ')}`
    : `unknown key ${quoted(key)}; did you mean "${meant}"?`;
}

function subjectOf([key, entry]: Path): string {
  if (key === undefined) return '';
  return entry === undefined
    ? quoted(String(key))
    : `entry ${Number(entry) + 1} of ${quoted(String(key))}`;
}

function expectation(
  value: unknown,
  path: Path,
  { keyword, params, message }: ValidationError,
): string {
  const key = path.at(-1);
  if (keyword === 'required') return `is missing${key === 'type' ? `; ${typesFor(path)}` : ''}`;
  if (value === null) return 'is empty';
  if (key === 'n' || key === 'max_pivots' || key === 'max_retries') return wholeNumber(key);
  switch (keyword) {
    case 'enum':
      return `must be one of ${listed(texts(params['allowedValues']))}, not ${shown(value)}`;
    case 'type':
      return `must be ${KINDS[String(params['type'])] ?? String(params['type'])}, not ${shown(value)}`;
    case 'pattern':
      return patternWords(path);
    case 'minItems':
      return 'must not be empty';
    case 'maxItems':
      return `must have at most ${String(params['limit'])} entries`;
    default:
      return message ?? 'is not valid';
  }
}

function patternWords(path: Path): string {
  if (path.at(-1) === 'id') return ID_RULE;
  return path.at(-2) === 'reload_triggers'
    ? 'must be session_start, compaction, manual, phase_start:X, phase_transition or phase_transition:A->B'
    : 'must not be blank';
}

export const ID_RULE = 'must consist of letters, digits, - and _, at most 100 of them';

const KINDS: Record<string, string> = {
  string: 'text',
  array: 'a list',
  object: 'a mapping',
  integer: 'a whole number',
  boolean: 'true or false',
};

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

function texts(values: unknown): string[] {
  return Array.isArray(values) ? values.map(String) : [];
}

function shown(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a mapping' : (JSON.stringify(value) ?? 'nothing');
}
