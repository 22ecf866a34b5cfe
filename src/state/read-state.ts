import { parsePhase, statusWord } from './phase-line.ts';
import { isObject, type JsonObject } from '../text/json.ts';
import { PHASE_STATUSES, RUN_STATUSES, type Phase, type RunState, type Source } from './types.ts';

export type StateReading = { state: RunState } | { defect: string };

/**
 * Reads a state file that an agent or a person may have written by hand. Missing fields get defaults, other
 * notations are converted, unknown keys are kept; only content that makes no sense as a run is a defect.
 */
export function readState(
  json: unknown,
  fallback: { workflow: string; createdAt: () => string },
): StateReading {
  if (!isObject(json)) return { defect: 'it is not a JSON object' };
  if (json['workflow'] !== undefined && !isFilled(json['workflow'])) {
    return { defect: '"workflow" is not a name' };
  }
  const phase = readPhase(json['phase']);
  if (phase === null)
    return { defect: '"phase" is neither an object nor text such as "2/5 - Build"' };

  const state: RunState = {
    ...json,
    workflow: isFilled(json['workflow']) ? json['workflow'] : fallback.workflow,
    workflow_type: isFilled(json['workflow_type']) ? json['workflow_type'] : 'custom',
    phase,
    required_reading: texts(json['required_reading']).map(withAt),
    created_at: isFilled(json['created_at']) ? json['created_at'] : fallback.createdAt(),
    status: runStatus(json['status']) ?? impliedStatus(phase),
  };
  return { state: { ...state, ...converted(json, CONVERTED) } };
}

/** Entries are stored with @, as the guidance prints them. */
export function withAt(path: string): string {
  return path.startsWith('@') ? path : `@${path}`;
}

type Converter = (value: unknown) => unknown;

/** Those of the fields that are there, in the form that holdfast writes. */
function converted(object: JsonObject, fields: Record<string, Converter>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, convert]) =>
      object[key] === undefined ? [] : [[key, convert(object[key])]],
    ),
  );
}

const wholeNumber: Converter = (value) => count(value) ?? 0;

/** The optional fields of a run. */
const CONVERTED: Record<string, Converter> = {
  key_reminders: texts,
  phases: texts,
  local_facts: texts,
  conflicts: (value) =>
    objectsIn(value).map((entry) => ({ ...entry, field: textOr(entry['field']) })),
  skipped: readSkipped,
  context: (value) => (value === null ? {} : isObject(value) ? value : { note: value }),
  artifacts: artifactPaths,
  sessions: readSessions,
  source: readSource,
  revision: wholeNumber,
  outputs: readOutputs,
  status_reason: asText,
  context_metadata: readContextMetadata,
};

function objectsIn(value: unknown): JsonObject[] {
  const list: unknown[] = Array.isArray(value) ? value : [];
  return list.filter(isObject);
}

function readPhase(value: unknown): Phase | null {
  if (value === undefined || value === null) {
    return { current: 1, total: 1, name: '', status: 'in_progress' };
  }
  if (typeof value === 'string' || typeof value === 'number') {
    return completePhase({ ...parsePhase(String(value)) });
  }
  return isObject(value) ? completePhase(value) : null;
}

function completePhase(value: JsonObject): Phase {
  if (isPhase(value)) return value;
  const current = count(value['current']) ?? 1;
  return {
    ...value,
    current,
    total: Math.max(count(value['total']) ?? 1, current, 1),
    name: typeof value['name'] === 'string' ? value['name'] : '',
    status: phaseStatus(value['status']) ?? 'in_progress',
  };
}

function isPhase(value: JsonObject): value is Phase {
  const { current, total, name, status } = value;
  const isNumbered = isCount(current) && isCount(total) && total >= Math.max(current, 1);
  return isNumbered && typeof name === 'string' && PHASE_STATUSES.some((known) => known === status);
}

function phaseStatus(value: unknown): Phase['status'] | undefined {
  if (typeof value !== 'string') return undefined;
  return PHASE_STATUSES.find((status) => status === value) ?? statusWord(value);
}

/** Accepts common synonyms such as `Done` and `on hold`. */
function runStatus(value: unknown): RunState['status'] {
  if (typeof value !== 'string') return undefined;
  const word = value
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  const known = RUN_STATUSES.find((status) => status === word);
  if (known !== undefined) return known;
  if (word === 'on_hold' || word === 'suspended' || word === 'blocked') return 'paused';
  if (word === 'canceled') return 'cancelled';
  if (word === 'aborted') return 'failed';
  return statusWord(value) === 'completed' ? 'completed' : undefined;
}

/** A hand-written file may show only by its phase that it is finished. */
function impliedStatus(phase: Phase): 'completed' | 'in_progress' {
  return phase.status === 'completed' && phase.current >= phase.total ? 'completed' : 'in_progress';
}

function artifactPaths(value: unknown): Record<string, string> {
  if (value === null) return {};
  const named = typeof value === 'object' ? value : { artifact: value };
  return Object.fromEntries(
    Object.entries(named).map(([key, entry]) => [
      key,
      isObject(entry) && isFilled(entry['path']) ? entry['path'] : asText(entry),
    ]),
  );
}

/** Also a plain list of phase numbers, which gives no reasons. */
function readSkipped(value: unknown): Record<string, string> {
  if (Array.isArray(value)) {
    return Object.fromEntries(value.filter(isCount).map((phase) => [String(phase), '']));
  }
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([phase, reason]) => [
      phase,
      typeof reason === 'string' ? reason : '',
    ]),
  );
}

function readOutputs(value: unknown): JsonObject {
  const entries: [string, unknown][] = isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.map(([phase, output]) => {
      if (!isObject(output)) return [phase, output === null ? {} : { text: asText(output) }];
      const { text, ...rest } = output;
      const fields = text === null ? rest : output;
      return [phase, { ...fields, ...converted(fields, { text: asText, artefacts: texts }) }];
    }),
  );
}

function readSessions(value: unknown): JsonObject {
  if (!isObject(value)) return {};
  return {
    ...value,
    current_session_id: isFilled(value['current_session_id']) ? value['current_session_id'] : null,
    session_history: objectsIn(value['session_history']).map((record) => ({
      ...withoutNull(record),
      session_id: textOr(record['session_id']),
      started_at: textOr(record['started_at']),
      ...converted(record, { phases_completed: texts }),
    })),
  };
}

function readContextMetadata(value: unknown): JsonObject {
  if (!isObject(value)) return {};
  return {
    ...value,
    ...converted(value, { compaction_count: wholeNumber, reload_count: wholeNumber }),
    artifacts_in_context: objectsIn(value['artifacts_in_context']).map((entry) => ({
      ...entry,
      artifact_id: textOr(entry['artifact_id']),
      loaded_at: textOr(entry['loaded_at']),
    })),
  };
}

/** A file source without a path names nothing, so it is read as `cli`. */
function readSource(value: unknown): Source {
  if (!isObject(value)) return { kind: 'cli' };
  const { kind, path, said: declaration, ...rest } = value;
  const declared = isObject(declaration) ? { said: declaration } : {};
  if (kind === 'template')
    return { ...rest, kind, ...(typeof path === 'string' ? { path } : {}), ...declared };
  if ((kind === 'local-file' || kind === 'plan') && typeof path === 'string')
    return { ...rest, kind, path, ...declared };
  return { ...rest, kind: 'cli' };
}

/** A list of texts; a single value counts as a list of one, and an object by its name. */
function texts(value: unknown): string[] {
  if (Array.isArray(value) && value.every(isFilled)) return value;
  if (value === undefined || value === null) return [];
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list
    .filter((entry) => entry !== null)
    .map((entry) => (isObject(entry) && isFilled(entry['name']) ? entry['name'] : asText(entry)))
    .filter((entry) => entry.trim() !== '');
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function textOr(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A whole number, also written as text; undefined for anything else. */
function count(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value.trim()) ? Number(value) : value;
  return isCount(number) ? number : undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** People write null for what there is not. */
function withoutNull(object: JsonObject): JsonObject {
  if (!Object.values(object).includes(null)) return object;
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
