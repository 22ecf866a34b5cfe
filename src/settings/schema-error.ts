import { ownMember } from '../text/json.ts';
import { listed, type Problem } from '../text/problem.ts';
import { quoted } from '../text/sanitize.ts';

/** What is wrong with a value, as a generated validator finds it. */
export interface SchemaError {
  /** The path to the value, with the missing or unknown key at its end. */
  path: string[];
  /** The rule of JSON Schema that the value breaks, such as `required` or `enum`. */
  keyword: string;
  /** What the rule asks for, if it says so: a type, a limit, the allowed values. */
  expected: unknown;
  value?: unknown;
}

/** A function that ajv has generated from a schema; its errors are those of its last call. */
export interface Validator {
  (value: unknown): boolean;
  errors?: AjvError[] | null;
}

interface AjvError {
  /** A JSON pointer, such as `/detect/plans/0`. */
  instancePath: string;
  keyword: string;
  params: Record<string, unknown>;
}

/** Everything that is wrong with the value; none if it fits. */
export function schemaErrors(
  validate: Validator,
  value: unknown,
): SchemaError[] {
  if (validate(value)) return [];
  const errors = validate.errors ?? [];
  // `if` only repeats what `then` says.
  return errors
    .filter(({ keyword }) => keyword !== 'if')
    .map((error) => errorFrom(error, value));
}

const KEY_PARAMETERS = ['missingProperty', 'additionalProperty'];
const EXPECTED_PARAMETERS = [
  'allowedValues',
  'allowedValue',
  'type',
  'limit',
  'pattern',
];

function errorFrom(
  { instancePath, keyword, params }: AjvError,
  root: unknown,
): SchemaError {
  const path = keysOf(instancePath);
  const key = firstOf(params, KEY_PARAMETERS);
  if (typeof key === 'string')
    return { path: [...path, key], keyword, expected: undefined };
  const expected = firstOf(params, EXPECTED_PARAMETERS);
  return { path, keyword, expected, value: path.reduce(ownMember, root) };
}

/** `/detect/plans/0` → `['detect', 'plans', '0']`; a pointer writes `/` as `~1` and `~` as `~0`. */
const keysOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));

const firstOf = (
  params: Record<string, unknown>,
  names: readonly string[],
): unknown =>
  names.map((name) => params[name]).find((value) => value !== undefined);

/** The end of a sentence whose subject is the value. */
export function describeSchemaError({
  path,
  keyword,
  expected,
  value,
}: SchemaError): string {
  if (keyword === 'required') return 'is missing';
  if (keyword === 'minItems') return 'must not be empty';
  if (keyword === 'maxItems')
    return `must have at most ${String(expected)} entries`;
  if (keyword === 'pattern' && typeof value === 'string' && value.trim() === '')
    return 'must not be blank';
  if (keyword === 'pattern' && path.at(-1) === 'id') return ID_RULE;
  const wanted = describeExpected(keyword, expected, path);
  return wanted === null
    ? 'is not valid'
    : `must be ${wanted}, not ${describeValue(value)}`;
}

function describeExpected(
  keyword: string,
  expected: unknown,
  path: string[],
): string | null {
  // The schema may allow several types, separated by commas.
  if (keyword === 'type')
    return String(expected)
      .replace(/\w+/g, (type) => TYPES[type] ?? type)
      .replaceAll(',', ' or ');
  if (keyword === 'enum' && Array.isArray(expected))
    return `one of ${listed(expected.map(String))}`;
  if (keyword === 'const') return JSON.stringify(expected);
  if (keyword === 'pattern') return patternOf(path);
  const bound = { minimum: 'least', maximum: 'most' }[keyword];
  return bound === undefined ? null : `at ${bound} ${String(expected)}`;
}

export const ID_RULE =
  'must consist of letters, digits, - and _, at most 100 of them';

export const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  array: 'a list',
  object: 'an object',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
};

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
  return typeof value === 'object' && value !== null
    ? 'an object'
    : String(value);
}

/** A problem of a state file or of the settings, at its line. */
export function valueProblem(
  error: SchemaError,
  lineOf: (path: string[]) => number,
): Problem {
  // A key that is missing has no line of its own, but the object it belongs to has.
  const path =
    error.keyword === 'required' ? error.path.slice(0, -1) : error.path;
  const name = error.path.join('.');
  const message =
    error.keyword === 'additionalProperties'
      ? `unknown key ${quoted(name)}`
      : `${name === '' ? 'the file' : quoted(name)} ${describeSchemaError(error)}`;
  return { line: lineOf(path), message };
}
