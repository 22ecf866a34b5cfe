import { isObject, ownMember, type JsonObject, type Schema, isWithinLimits } from '../text/json.ts';
import { schema as settingsSchema } from './settings-schema.generated.ts';
import type { CriticalArtifacts, PlanFormat } from './settings-types.generated.ts';
import { readProjectFile } from '../files/read-file.ts';

export const SETTINGS_FILE = '.claude/holdfast.json';

/** The tools whose plans holdfast can read. */
export type PlanFormatId = PlanFormat;

export interface Settings {
  detect: { local_file: string; plans: string[]; formats: PlanFormatId[] };
  restore: {
    startup: 'offer' | 'full' | 'off';
    confirm: boolean;
    max_chars: number;
    inline_chars: number;
  };
  reading: { enforce: 'off' | 'remind' | 'block' };
  subagents: 'brief' | 'off';
  context: { perform: 'auto' | 'ask'; record: 'on' | 'off'; warn: number[] };
  todo: { file: string };
  critical_artifacts: CriticalArtifacts;
}

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

export function isPlanFormatId(name: string): name is PlanFormatId {
  return DEFAULTS.detect.formats.some((id) => id === name);
}

/**
 * What of the settings, or of artifacts that a template or a run declares in the same form, is not used: a sentence about
 * the whole file, or a value, for which `describeSettings` has one. Hooks only name the value.
 */
export type SettingsProblem =
  | string
  | { name: string; error: SchemaError; lost: 'value' | 'artifact' | 'entry' };

export interface CheckedSettings {
  settings: Settings;
  problems: SettingsProblem[];
}

export function readSettings(text: string): CheckedSettings {
  if (!isWithinLimits(text)) return defaults('too large or too deeply nested');
  try {
    return checkSettings(JSON.parse(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return defaults(`it is not JSON (${error.message.replace(/\s+/g, ' ')})`);
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
    problems: errors.map((error) => {
      const depth = lostPath(error).length;
      const part = depth < 3 ? 'value' : depth === 3 ? 'artifact' : 'entry';
      return { name: nameOf(error.path, json), error, lost: part };
    }),
  };
}

function withDefaults(json: unknown): Settings {
  const given: JsonObject = isObject(json) ? json : {};
  const section = <K extends Exclude<keyof Settings, 'subagents'>>(key: K): Settings[K] => ({
    ...DEFAULTS[key],
    ...(isObject(given[key]) ? given[key] : {}),
  });
  return {
    detect: section('detect'),
    restore: section('restore'),
    reading: section('reading'),
    subagents: given['subagents'] === 'off' ? 'off' : 'brief',
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

function pathKey(path: readonly string[]): string {
  return JSON.stringify(path);
}

const MAX_BYTES = 1_000_000;

export function loadSettings(root: string): CheckedSettings {
  const file = readProjectFile(root, SETTINGS_FILE, MAX_BYTES);
  if (file.kind === 'absent') return { settings: DEFAULTS, problems: [] };
  return file.kind === 'text' ? readSettings(file.text) : defaults(`not read: ${file.why}`);
}

/** A value that does not match its schema. */
export interface SchemaError {
  /** The path to the value, with the missing or unknown key at its end. */
  path: string[];
  keyword: string;
  /** What the schema has under that keyword. */
  expected: unknown;
  /** The value itself. */
  given?: unknown;
}

/**
 * What in a value does not fit. The validator that ajv would generate is a tenth of what hooks may load, and they load
 * it at every call; this one is compared with ajv in a test.
 */
export function schemaErrors(schema: Schema, given: unknown, path: string[] = []): SchemaError[] {
  const { enum: values, pattern, minimum, maximum, required = [], properties, items } = schema;
  const errors: SchemaError[] = [];
  const add = (keyword: string, expected: unknown): void => {
    errors.push({ path, keyword, expected, given });
  };
  const type = properties ? 'object' : items ? 'array' : pattern ? 'string' : schema.type;
  if (type !== undefined && type !== typeOf(given)) add('type', type);
  else if (properties && isObject(given)) {
    for (const key of required) if (!Object.hasOwn(given, key)) addKey(key, 'required');
    for (const [key, member] of Object.entries(given)) {
      const known = Object.hasOwn(properties, key) && properties[key];
      if (known) errors.push(...schemaErrors(known, member, [...path, key]));
      else addKey(key, 'additionalProperties');
    }
  } else if (items && Array.isArray(given)) {
    const { maxItems = given.length } = schema;
    if (given.length > maxItems) add('maxItems', maxItems);
    for (const [index, item] of given.entries())
      errors.push(...schemaErrors(items, item, [...path, String(index)]));
  } else if (typeof given === 'string') {
    if (pattern && !new RegExp(pattern, 'u').test(given)) add('pattern', pattern);
  } else if (typeof given === 'number') {
    if (given < (minimum ?? given)) add('minimum', minimum);
    if (given > (maximum ?? given)) add('maximum', maximum);
  }
  if (values && !values.includes(given)) add('enum', values);
  return errors;

  function addKey(key: string, keyword: string): void {
    errors.push({ path: [...path, key], keyword, expected: undefined });
  }
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : value === null ? 'null' : typeof value;
}
