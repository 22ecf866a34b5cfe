import { isObject, type JsonObject } from '../state/json.ts';
import { schemaErrors, type SchemaError } from './schema-errors.ts';
import { schema } from './settings-schema.generated.ts';

export const SETTINGS_FILE = '.claude/holdfast.json';

export interface Settings {
  detect: { local_file: string; plans: string[] };
  restore: { startup: 'offer' | 'full' | 'off'; max_chars: number; inline_chars: number };
  reading: { enforce: 'off' | 'remind' | 'block' };
  todo: { file: string };
  critical_artifacts: JsonObject;
}

export const DEFAULTS: Settings = {
  detect: { local_file: 'CLAUDE.local.md', plans: ['CLAUDE/Plan/*/PLAN.md'] },
  restore: { startup: 'offer', max_chars: 8000, inline_chars: 2000 },
  reading: { enforce: 'remind' },
  todo: { file: 'TODO.md' },
  critical_artifacts: {},
};

/** An unknown key or a bad value is reported by its name and costs that key only. */
export function readSettings(text: string): { settings: Settings; problems: string[] } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const line = reason.replace(/\s+/g, ' ');
    return { settings: DEFAULTS, problems: [`it is not JSON (${line}); the defaults are used`] };
  }
  const errors = schemaErrors(schema, json);
  return {
    settings: withDefaults(errors.reduce<unknown>(withoutError, json)),
    problems: [...new Set(errors.map(sentence))],
  };
}

function withDefaults(json: unknown): Settings {
  const given: JsonObject = isObject(json) ? json : {};
  const section = <K extends keyof Settings>(key: K): Settings[K] => ({
    ...DEFAULTS[key],
    ...(isObject(given[key]) ? given[key] : {}),
  });
  return {
    detect: section('detect'),
    restore: section('restore'),
    reading: section('reading'),
    todo: section('todo'),
    critical_artifacts: section('critical_artifacts'),
  };
}

function withoutError(json: unknown, { path }: SchemaError): unknown {
  return without(json, path.slice(0, 2));
}

function without(json: unknown, [key, ...rest]: string[]): unknown {
  if (key === undefined) return undefined;
  if (!isObject(json) || !Object.hasOwn(json, key)) return json;
  const { [key]: value, ...others } = json;
  const left = rest.length === 0 ? undefined : without(value, rest);
  return left === undefined ? others : { ...others, [key]: left };
}

function sentence(error: SchemaError): string {
  const name = error.path.join('.');
  if (name === '') return 'it must be a JSON object; the defaults are used';
  if (error.keyword === 'additionalProperties') return `unknown key "${name}"; it is ignored`;
  return `"${name}" must be ${expectation(error)}; the default is used`;
}

function expectation({ keyword, expected }: SchemaError): string {
  switch (keyword) {
    case 'enum':
      return `one of ${Array.isArray(expected) ? expected.join(', ') : ''}`;
    case 'pattern':
      return 'a path inside the project (no "..", no "**", not absolute)';
    case 'minimum':
      return `>= ${String(expected)}`;
    case 'maximum':
      return `<= ${String(expected)}`;
    default:
      return String(expected);
  }
}
