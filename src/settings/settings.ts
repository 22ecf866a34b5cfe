import { readOwnFile } from '../files/context-files.ts';
import { quoted } from '../text/sanitize.ts';
import {
  isObject,
  isWithinLimits,
  ownMember,
  type JsonObject,
} from '../text/json.ts';
import {
  describeSchemaError,
  schemaErrors,
  type SchemaError,
} from './schema-error.ts';
import type {
  HoldfastSettings,
  PlanFormat,
} from './settings-types.generated.ts';
import validate from './settings-validator.generated.js';

export const SETTINGS_FILE = '.claude/holdfast.json';

export type PlanFormatId = PlanFormat;

type Sections = Required<Omit<HoldfastSettings, '$schema'>>;

/** With the defaults; no artifact is critical by default. */
export type Settings = {
  [K in keyof Sections]: K extends 'critical_artifacts'
    ? Sections[K]
    : Required<Sections[K]>;
};

export const DEFAULTS: Settings = {
  detect: {
    local_file: 'CLAUDE.local.md',
    plans: ['CLAUDE/Plan/*/PLAN.md'],
    formats: [
      'spec-kit',
      'openspec',
      'planning-with-files',
      'gsd',
      'superpowers',
      'kiro',
      'taskmaster',
      'conductor',
      'bmad',
    ],
  },
  restore: {
    startup: 'offer',
    confirm: false,
    max_chars: 8000,
    inline_chars: 2000,
  },
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

export type CheckedSettings = {
  settings: Settings;
  problems: SettingsProblem[];
};

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
  const errors = schemaErrors(validate, json);
  const lost = new Set(errors.map((error) => pathKey(lostPath(error))));
  return {
    settings: withDefaults(without(lost, json)),
    problems: errors.map((error) => ({
      name: nameOf(error.path, json),
      error,
    })),
  };
}

function withDefaults(json: unknown): Settings {
  const input: JsonObject = isObject(json) ? json : {};
  const section = <K extends Exclude<keyof Settings, 'subagents'>>(
    key: K,
  ): Settings[K] => ({
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
  return path.length === 4 && keyword !== 'additionalProperties'
    ? path.slice(0, 3)
    : path;
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
function without(
  lost: ReadonlySet<string>,
  value: unknown,
  path: readonly string[] = [],
): unknown {
  if (lost.has(pathKey(path))) return undefined;
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value)
    .map(([key, part]): [string, unknown] => [
      key,
      without(lost, part, [...path, key]),
    ])
    .filter(([, part]) => part !== undefined);
  return Array.isArray(value)
    ? kept.map(([, part]) => part)
    : Object.fromEntries(kept);
}

const pathKey = (path: readonly string[]): string => JSON.stringify(path);

const MAX_BYTES = 1_000_000;

export function loadSettings(root: string): CheckedSettings {
  const file = readOwnFile(root, SETTINGS_FILE, MAX_BYTES);
  if (file.kind === 'absent') return { settings: DEFAULTS, problems: [] };
  return file.kind === 'text'
    ? readSettings(file.text)
    : defaults(`not read: ${file.why}`);
}

/** Two artifacts of the same id can have the same problem, which is described once. */
export function describeSettings(
  problems: readonly SettingsProblem[],
): string[] {
  const sentences = problems.map((problem) => {
    if (typeof problem === 'string') return problem;
    const { name, error } = problem;
    if (error.keyword === 'additionalProperties')
      return `unknown key ${quoted(name)}; it is ignored`;
    const depth = lostPath(error).length;
    const artifact =
      depth === 3 ? 'this artifact is left out' : 'it is left out';
    const consequence = depth < 3 ? 'the default is used' : artifact;
    return `${quoted(name)} ${describeSchemaError(error)}; ${consequence}`;
  });
  return [...new Set(sentences)];
}
