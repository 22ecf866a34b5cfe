import { isObject, ownMember, type JsonObject } from '../text/json.ts';
import { numberNotes } from './notes.ts';
import { phraseMark } from './marks.ts';
import type { Mark } from './words/vocabulary.ts';
import { labelFrom } from './phase-labels.ts';
import { parsePhaseLine, statusWord } from './phase-line.ts';
import {
  PHASE_STATUSES,
  RUN_STATUSES,
  type Phase,
  type RunState,
  type Source,
} from './types.ts';

/**
 * Reads a state file that an agent or a person may have written by hand. Missing fields get defaults, other
 * notations are converted, unknown keys are kept; only for content that makes no sense as a run it says why.
 */
export function readState(
  json: unknown,
  fallback: { workflow: string; createdAt: () => string },
): RunState | string {
  if (!isObject(json)) return 'it is not a JSON object';
  const {
    workflow = fallback.workflow,
    workflow_type: type,
    created_at: created,
  } = json;
  if (!isFilled(workflow)) return '"workflow" is not a name';
  const phase = readPhase(json['phase']);
  if (phase === null)
    return '"phase" is neither an object nor text such as "2/5 - Build"';
  const fields = converted(json, FIELDS);
  // A phase that somebody adds to the list counts, although the number beside it is still the old one, unless a source says it.
  const isTotalOpen =
    phase.total_known !== false && declaredTotal(fields) !== phase.total;
  if (isTotalOpen && Array.isArray(fields['phases']))
    phase.total = Math.max(phase.total, fields['phases'].length);
  // A hand-written file may show only by its phase that it is finished.
  const isOver = phase.status === 'completed' && phase.current >= phase.total;
  return {
    ...json,
    ...fields,
    ...readNumbers(fields),
    workflow,
    workflow_type: isFilled(type) ? type : 'custom',
    phase,
    required_reading: texts(json['required_reading']).map(withAt),
    created_at: isFilled(created) ? created : fallback.createdAt(),
    status: runStatus(json['status']) ?? (isOver ? 'completed' : 'in_progress'),
  };
}

/** The number of phases that the source of the run has said last. */
function declaredTotal({ source }: JsonObject): unknown {
  const declared = ownMember(source, 'said');
  return ownMember(ownMember(declared, 'phase'), 'total');
}

/** Entries are stored with @, as the guidance prints them. */
export const withAt = (path: string): string =>
  path.startsWith('@') ? path : `@${path}`;

/** Makes of what stands in a file what the type of the field says. */
type Converter = (value: unknown) => unknown;

/** Those of the fields that the object has, each converted. */
function converted(
  object: JsonObject,
  fields: Record<string, Converter>,
): JsonObject {
  const result: JsonObject = {};
  for (const [key, convert] of Object.entries(fields))
    if (object[key] !== undefined) result[key] = convert(object[key]);
  return result;
}

/** Converts these fields of an object and keeps all others; anything else becomes an empty object. */
function objectWith(fields: Record<string, Converter>): Converter {
  return (value) =>
    isObject(value) ? { ...value, ...converted(value, fields) } : {};
}

/** Converts a list of objects and drops everything else in it. Each has the `required` texts, empty where they are missing. */
function recordsWith(
  required: readonly string[],
  otherFields: Record<string, Converter> = {},
): Converter {
  const empty: JsonObject = {};
  const fields: Record<string, Converter> = {};
  for (const key of required) {
    empty[key] = '';
    fields[key] = textOrEmpty;
  }
  const convert = objectWith({ ...fields, ...otherFields });
  return (value) => {
    const records = Array.isArray(value) ? value.filter(isObject) : [];
    return records.map((record) => convert({ ...empty, ...record }));
  };
}

/** An object of any keys, with each value converted. */
function valuesOf(value: unknown, convert: Converter): JsonObject {
  const entries = isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.map(([key, member]) => [key, convert(member)]),
  );
}

const wholeNumber: Converter = (value) => count(value) ?? 0;
const textOrEmpty: Converter = (value) =>
  typeof value === 'string' ? value : '';
const asOutput = objectWith({ text: asText, artefacts: texts });

/** A hand-written or damaged file may have any number; texts show the first of them. */
const MAX_UNDONE = 1_000;
const MAX_LEFT = 100;
const MAX_CONFLICTS = 100;

const FIELDS: Record<string, Converter> = {
  key_reminders: texts,
  // Also plain texts.
  notes: (value) =>
    recordsWith(['at', 'phase', 'text'], {
      n: count,
      phase: asText,
      text: asText,
    })([value].flat().map((note) => (isObject(note) ? note : { text: note }))),
  last_note: wholeNumber,
  phases: texts,
  undone: (value) =>
    [value]
      .flat()
      .flatMap((number) => count(number) ?? [])
      .slice(0, MAX_UNDONE),
  ended_early: (value) =>
    isObject(value)
      ? {
          ...value,
          at: textOrEmpty(value['at']),
          left: texts(value['left']).slice(0, MAX_LEFT),
        }
      : undefined,
  local_facts: texts,
  conflicts: (value) =>
    recordsWith(['field'])(
      Array.isArray(value) ? value.slice(0, MAX_CONFLICTS) : value,
    ),
  // Also a plain list of phase numbers, which gives no reasons.
  skipped: (value) =>
    Array.isArray(value)
      ? Object.fromEntries(
          value.flatMap((phase) =>
            count(phase) === undefined ? [] : [[phase, '']],
          ),
        )
      : valuesOf(value, textOrEmpty),
  context: (value) =>
    isObject(value) || value === null ? (value ?? {}) : { note: value },
  artifacts: (value) =>
    valuesOf(
      typeof value === 'object' ? { ...value } : { artifact: value },
      (entry) => asText(isObject(entry) ? (entry['path'] ?? entry) : entry),
    ),
  sessions: objectWith({
    current_session_id: (value) => (isFilled(value) ? value : null),
    session_history: (value) =>
      recordsWith(['session_id', 'started_at'], { phases_completed: texts })(
        Array.isArray(value) ? value.map(withoutNull) : value,
      ),
  }),
  source: readSource,
  revision: wholeNumber,
  outputs: (value) =>
    valuesOf(value, (output) =>
      asOutput(
        isObject(output) || output === null
          ? withoutNull(output ?? {})
          : { text: output },
      ),
    ),
  status_reason: asText,
  context_metadata: objectWith({
    compaction_count: wholeNumber,
    reload_count: wholeNumber,
    artifacts_in_context: recordsWith(['artifact_id', 'loaded_at']),
  }),
};

/** The numbers of notes depend on each other, so they come after everything else about a note. */
function readNumbers({ notes, last_note: last }: JsonObject): JsonObject {
  if (!Array.isArray(notes)) return {};
  const entries: unknown[] = notes;
  const numbered = numberNotes(entries.filter(isObject), last);
  return numbered.notes.length === 0 && last === undefined ? {} : numbered;
}

export function readPhase(value: unknown): Phase | null {
  const isLine = typeof value === 'string' || typeof value === 'number';
  const phase = isLine
    ? { ...parsePhaseLine(String(value)).phase }
    : (value ?? {});
  if (!isObject(phase)) return null;
  const { label: number, ...fields } = phase;
  const { total, name, status } = fields;
  const current = count(fields['current']) ?? 1;
  const label = labelFrom(number);
  return {
    ...fields,
    ...(label !== undefined && { label }),
    current,
    total: Math.max(count(total) ?? 1, current, 1),
    name: typeof name === 'string' ? name : '',
    ...(phase['line'] !== undefined && { line: asText(phase['line']) }),
    status:
      PHASE_STATUSES.find((each) => each === status) ??
      statusWord(typeof status === 'string' ? status : '') ??
      'in_progress',
  };
}

function runStatus(value: unknown): RunState['status'] {
  const listed = RUN_STATUSES.find((status) => status === value);
  if (listed !== undefined || typeof value !== 'string') return listed;
  const word = value.trim().toLowerCase();
  if (/^cancell?ed$/.test(word)) return 'cancelled';
  if (/^(?:failed|aborted)$/.test(word)) return 'failed';
  const mark = phraseMark(word);
  return mark === undefined ? undefined : STATUS_BY_MARK[mark];
}

const STATUS_BY_MARK: Partial<Record<Mark, RunState['status']>> = {
  done: 'completed',
  'under way': 'in_progress',
  blocked: 'paused',
  paused: 'paused',
};

/** A file source without a path names nothing, so it is read as `cli`. */
function readSource(value: unknown): Source {
  const { kind, path, said, ...rest } = isObject(value) ? value : {};
  const declared = isObject(said) ? { said } : {};
  const isPath = typeof path === 'string';
  if (kind === 'template')
    return { ...rest, kind, ...(isPath && { path }), ...declared };
  if ((kind === 'local-file' || kind === 'plan') && isPath)
    return { ...rest, kind, path, ...declared };
  return { ...rest, kind: 'cli' };
}

/** A list of texts; a single value counts as a list of one, and an object by its name. */
function texts(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list
    .filter((entry) => entry !== undefined && entry !== null)
    .map((entry) => asText(isObject(entry) ? (entry['name'] ?? entry) : entry))
    .filter(isFilled);
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function count(value: unknown): number | undefined {
  const number = isFilled(value) ? Number(value) : value;
  return typeof number === 'number' &&
    Number.isSafeInteger(number) &&
    number >= 0
    ? number
    : undefined;
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** People write null for what there is not. */
function withoutNull(value: unknown): unknown {
  if (!isObject(value) || !Object.values(value).includes(null)) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== null),
  );
}
