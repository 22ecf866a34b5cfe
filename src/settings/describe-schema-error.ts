import { ownMember } from '../text/json.ts';
import { listed, quoted, type Problem } from '../text/problem.ts';
import type { SchemaError, SettingsProblem } from './settings.ts';

/** An error as the validators that ajv generates report it. */
export interface AjvError {
  instancePath: string;
  keyword: string;
  params: Record<string, unknown>;
}

export function schemaErrorFrom(
  { instancePath, keyword, params }: AjvError,
  root: unknown,
): SchemaError {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const key = params['missingProperty'] ?? params['additionalProperty'];
  if (typeof key === 'string') return { path: [...path, key], keyword, expected: undefined };
  const expected = ['allowedValues', 'allowedValue', 'type', 'limit', 'pattern']
    .map((name) => params[name])
    .find((value) => value !== undefined);
  return { path, keyword, expected, given: path.reduce(ownMember, root) };
}

/** The end of a sentence whose subject is the value. */
export function describeSchemaError({ path, keyword, expected, given }: SchemaError): string {
  if (keyword === 'required') return 'is missing';
  if (keyword === 'minItems') return 'must not be empty';
  if (keyword === 'maxItems') return `must have at most ${String(expected)} entries`;
  if (keyword === 'pattern' && typeof given === 'string' && given.trim() === '')
    return 'must not be blank';
  if (keyword === 'pattern' && path.at(-1) === 'id') return ID_RULE;
  const wanted = describeExpected(keyword, expected, path);
  return wanted === null ? 'is not valid' : `must be ${wanted}, not ${describeValue(given)}`;
}

function describeExpected(keyword: string, expected: unknown, path: string[]): string | null {
  if (keyword === 'type') return describeTypes(String(expected));
  if (keyword === 'enum' && Array.isArray(expected))
    return `one of ${listed(expected.map(String))}`;
  if (keyword === 'const') return JSON.stringify(expected);
  if (keyword === 'pattern') return patternOf(path);
  const bound = { minimum: 'least', maximum: 'most' }[keyword];
  return bound === undefined ? null : `at ${bound} ${String(expected)}`;
}

export const ID_RULE = 'must consist of letters, digits, - and _, at most 100 of them';

const TYPES: Record<string, string> = {
  string: 'text',
  array: 'a list',
  object: 'an object',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
};

/** The schema may allow several types, separated by commas. */
function describeTypes(types: string): string {
  return types
    .split(',')
    .map((type) => TYPES[type] ?? type)
    .join(' or ');
}

/** Patterns are for machines, so each is named by the place it stands at. */
function patternOf(path: readonly string[]): string {
  if (path.includes('reload_triggers')) {
    return 'session_start, compaction, manual, phase_start:X, phase_transition or phase_transition:A->B';
  }
  if (path.at(-1) === 'path_from_state')
    return "a place in the state, such as $.artifacts.spec or context['key']";
  if (path[0] === 'required_reading') return 'a path that starts with @';
  if (path[0] === 'detect' || path[0] === 'todo') {
    return 'a path inside the project (no "..", no "**", not absolute)';
  }
  return path.at(-1)?.endsWith('_at') === true
    ? 'a time such as 2025-12-09T14:30:52Z'
    : 'text that is not blank';
}

function describeValue(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** A problem of a state file or of the settings, at its line. */
export function valueProblem(error: SchemaError, lineOf: (path: string[]) => number): Problem {
  // A key that is missing has no line of its own, but the object it belongs to has.
  const path = error.keyword === 'required' ? error.path.slice(0, -1) : error.path;
  const name = error.path.join('.');
  const message =
    error.keyword === 'additionalProperties'
      ? `unknown key ${quoted(name)}`
      : `${name === '' ? 'the file' : quoted(name)} ${describeSchemaError(error)}`;
  return { line: lineOf(path), message };
}

const CONSEQUENCES = {
  value: 'the default is used',
  artifact: 'this artifact is left out',
  entry: 'it is left out',
};

/** Two artifacts of the same id can have the same problem, which is described once. */
export function describeSettings(problems: readonly SettingsProblem[]): string[] {
  const sentences = problems.map((problem) => {
    if (typeof problem === 'string') return problem;
    const { name, error, lost } = problem;
    return error.keyword === 'additionalProperties'
      ? `unknown key "${name}"; it is ignored`
      : `"${name}" ${describeSchemaError(error)}; ${CONSEQUENCES[lost]}`;
  });
  return [...new Set(sentences)];
}
