import { isObject, ownMember, type JsonObject, type Schema, isWithinLimits } from '../text/json.ts';
import { schema as settingsSchema } from './settings-schema.generated.ts';
import type { HoldfastSettings, PlanFormat } from './settings-types.generated.ts';
import { readProjectFile } from '../files/read-file.ts';
import { listed, type Problem } from '../text/problem.ts';
import { quoted } from '../text/sanitize.ts';

export const SETTINGS_FILE = '.claude/holdfast.json';

export type PlanFormatId = PlanFormat;

type Sections = Required<Omit<HoldfastSettings, '$schema'>>;

/** With the defaults; no artifact is critical by default. */
export type Settings = {
  [K in keyof Sections]: K extends 'critical_artifacts' ? Sections[K] : Required<Sections[K]>;
};

export const DEFAULTS: Settings = {
  detect: {
    local_file: 'CLAUDE.local.md',
    plans: ['CLAUDE/Plan/*/PLAN.md'],
    formats: ['spec-kit', 'openspec', 'planning-with-files', 'gsd', 'superpowers', 'kiro'],
  },
  restore: { startup: 'offer', confirm: false, max_chars: 8000, inline_chars: 2000 },
  reading: { enforce: 'remind' },
  subagents: 'brief',
  context: { perform: 'auto', record: 'on', warn: [65, 80] },
  todo: { file: 'TODO.md' },
  critical_artifacts: {},
};

export const isPlanFormatId = (name: string): name is PlanFormatId =>
  DEFAULTS.detect.formats.some((id) => id === name);

/**
 * What of the settings, or of artifacts that a template or a run declares in the same form, is not used: a sentence about
 * the whole file, or a value, for which `describeSettings` has one. Hooks only name the value.
 */
export type SettingsProblem = string | { name: string; error: SchemaError };

export type CheckedSettings = { settings: Settings; problems: SettingsProblem[] };

export function readSettings(text: string): CheckedSettings {
  if (!isWithinLimits(text)) return defaults('too large or too deeply nested');
  try {
    return checkSettings(JSON.parse(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // Its message has a part of the text in it.
    return defaults('it is not JSON (`holdfast validate` names the line)');
  }
}

function defaults(why: string): CheckedSettings {
  return { settings: DEFAULTS, problems: [`${why}; the defaults are used`] };
}

/** An unknown key or a bad value is reported by its name and costs that key, or that artifact, only. */
export function checkSettings(json: unknown): CheckedSettings {
  if (!isObject(json)) return defaults('it must be a JSON object');
  const errors = schemaErrors(settingsSchema, json);
  const lost = new Set(errors.map((error) => pathKey(lostPath(error))));
  return {
    settings: withDefaults(without(lost, json)),
    problems: errors.map((error) => ({ name: nameOf(error.path, json), error })),
  };
}

function withDefaults(json: unknown): Settings {
  const input: JsonObject = isObject(json) ? json : {};
  const section = <K extends Exclude<keyof Settings, 'subagents'>>(key: K): Settings[K] => ({
    ...DEFAULTS[key],
    ...(isObject(input[key]) ? input[key] : {}),
  });
  return {
    detect: section('detect'),
    restore: section('restore'),
    reading: section('reading'),
    subagents: input['subagents'] === 'off' ? 'off' : 'brief',
    context: section('context'),
    todo: section('todo'),
    critical_artifacts: section('critical_artifacts'),
  };
}

/** What an error costs: of an artifact's parts an unknown key or trigger itself, any other the artifact. */
function lostPath({ path, keyword }: SchemaError): string[] {
  if (path[0] !== 'critical_artifacts') return path.slice(0, 2);
  return path.length === 4 && keyword !== 'additionalProperties' ? path.slice(0, 3) : path;
}

/** The way to a value, with the id of an artifact instead of its place in the list. */
function nameOf(path: string[], json: unknown): string {
  let value = json;
  const names = path.map((key) => {
    value = ownMember(value, key);
    const id = ownMember(value, 'id');
    return typeof id === 'string' ? id : key;
  });
  return names.join('.');
}

/** A JSON value without the parts at these paths, each as `pathKey` gives it; undefined where nothing is left. */
function without(lost: ReadonlySet<string>, value: unknown, path: readonly string[] = []): unknown {
  if (lost.has(pathKey(path))) return undefined;
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value)
    .map(([key, part]): [string, unknown] => [key, without(lost, part, [...path, key])])
    .filter(([, part]) => part !== undefined);
  return Array.isArray(value) ? kept.map(([, part]) => part) : Object.fromEntries(kept);
}

const pathKey = (path: readonly string[]): string => JSON.stringify(path);

const MAX_BYTES = 1_000_000;

export function loadSettings(root: string): CheckedSettings {
  const file = readProjectFile(root, SETTINGS_FILE, MAX_BYTES);
  if (file.kind === 'absent') return { settings: DEFAULTS, problems: [] };
  return file.kind === 'text' ? readSettings(file.text) : defaults(`not read: ${file.why}`);
}

export interface SchemaError {
  /** The path to the value, with the missing or unknown key at its end. */
  path: string[];
  keyword: string;
  expected: unknown;
  value?: unknown;
}

/** The validator that ajv would generate is a tenth of what hooks may load; this one is compared with it in a test. */
export function schemaErrors(
  schema: Schema,
  value: unknown,
  path: string[] = [],
  errors: SchemaError[] = [],
): SchemaError[] {
  const { enum: values, pattern, minimum, maximum, required = [], properties, items } = schema;
  const { additionalProperties: others } = schema;
  const add = (keyword: string, expected: unknown): void => {
    errors.push({ path, keyword, expected, value });
  };
  const type = properties ? 'object' : items ? 'array' : pattern ? 'string' : schema.type;
  // Beyond, adding one changes nothing, so that a limit would never be reached.
  const whole = Number.isSafeInteger(value) ? 'integer' : typeof value;
  const actual = Array.isArray(value) ? 'array' : value === null ? 'null' : whole;
  if (type !== undefined && type !== actual) add('type', type);
  else if ((properties || others) && isObject(value)) {
    for (const key of required) if (!Object.hasOwn(value, key)) addKey(key, 'required');
    for (const [key, member] of Object.entries(value)) {
      const property = (Object.hasOwn(properties ?? {}, key) && properties?.[key]) || others;
      if (property) schemaErrors(property, member, [...path, key], errors);
      else addKey(key, 'additionalProperties');
    }
  } else if (items && Array.isArray(value)) {
    const { maxItems = value.length } = schema;
    if (value.length > maxItems) add('maxItems', maxItems);
    for (const [index, item] of value.entries())
      schemaErrors(items, item, [...path, String(index)], errors);
  } else if (typeof value === 'string') {
    if (pattern && !new RegExp(pattern, 'u').test(value)) add('pattern', pattern);
  } else if (typeof value === 'number') {
    if (value < (minimum ?? value)) add('minimum', minimum);
    if (value > (maximum ?? value)) add('maximum', maximum);
  }
  if (values && !values.includes(value)) add('enum', values);
  return errors;

  function addKey(key: string, keyword: string): void {
    errors.push({ path: [...path, key], keyword, expected: undefined });
  }
}

export type AjvError = { instancePath: string; keyword: string; params: Record<string, unknown> };

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
  return { path, keyword, expected, value: path.reduce(ownMember, root) };
}

/** The end of a sentence whose subject is the value. */
export function describeSchemaError({ path, keyword, expected, value }: SchemaError): string {
  if (keyword === 'required') return 'is missing';
  if (keyword === 'minItems') return 'must not be empty';
  if (keyword === 'maxItems') return `must have at most ${String(expected)} entries`;
  if (keyword === 'pattern' && typeof value === 'string' && value.trim() === '')
    return 'must not be blank';
  if (keyword === 'pattern' && path.at(-1) === 'id') return ID_RULE;
  const wanted = describeExpected(keyword, expected, path);
  return wanted === null ? 'is not valid' : `must be ${wanted}, not ${describeValue(value)}`;
}

function describeExpected(keyword: string, expected: unknown, path: string[]): string | null {
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

export const ID_RULE = 'must consist of letters, digits, - and _, at most 100 of them';

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

/** Two artifacts of the same id can have the same problem, which is described once. */
export function describeSettings(problems: readonly SettingsProblem[]): string[] {
  const sentences = problems.map((problem) => {
    if (typeof problem === 'string') return problem;
    const { name, error } = problem;
    if (error.keyword === 'additionalProperties')
      return `unknown key ${quoted(name)}; it is ignored`;
    const depth = lostPath(error).length;
    const artifact = depth === 3 ? 'this artifact is left out' : 'it is left out';
    const consequence = depth < 3 ? 'the default is used' : artifact;
    return `${quoted(name)} ${describeSchemaError(error)}; ${consequence}`;
  });
  return [...new Set(sentences)];
}
