import type { StateDefect } from '../errors/state-files.ts';
import { parsePhase, statusWord } from './phase-line.ts';
import { asText, count, isCount, isFilled, texts, textOr, withoutNull } from './lenient-values.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { PHASE_STATUSES, RUN_STATUSES, type Phase, type RunState, type Source } from './types.ts';

export type StateReading = { state: RunState } | { defect: StateDefect };

/**
 * Reads a state file that an agent or a person may have written by hand. Missing fields get defaults, other
 * notations are converted, unknown keys are kept; only content that makes no sense as a run is a defect.
 */
export function readState(
  json: unknown,
  fallback: { workflow: string; createdAt: () => string },
): StateReading {
  if (!isObject(json)) return { defect: 'not_an_object' };
  if (json['workflow'] !== undefined && !isFilled(json['workflow'])) {
    return { defect: 'workflow_not_a_name' };
  }
  const phase = readPhase(json['phase']);
  if (phase === null) return { defect: 'phase_unreadable' };

  const state: RunState = {
    ...json,
    workflow: isFilled(json['workflow']) ? json['workflow'] : fallback.workflow,
    workflow_type: isFilled(json['workflow_type']) ? json['workflow_type'] : 'custom',
    phase,
    required_reading: texts(json['required_reading']).map(withAt),
    created_at: isFilled(json['created_at']) ? json['created_at'] : fallback.createdAt(),
    status: runStatus(json['status']) ?? impliedStatus(phase),
  };
  if (json['key_reminders'] !== undefined) state.key_reminders = texts(json['key_reminders']);
  if (json['phases'] !== undefined) state.phases = texts(json['phases']);
  if (json['local_facts'] !== undefined) state.local_facts = texts(json['local_facts']);
  if (json['conflicts'] !== undefined) state.conflicts = readConflicts(json['conflicts']);
  if (json['skipped'] !== undefined) state.skipped = readSkipped(json['skipped']);
  if (json['context'] !== undefined) state.context = readContext(json['context']);
  if (json['artifacts'] !== undefined) state.artifacts = artifactPaths(json['artifacts']);
  if (json['sessions'] !== undefined) state.sessions = readSessions(json['sessions']);
  if (json['source'] !== undefined) state.source = readSource(json['source']);
  if (json['revision'] !== undefined) state.revision = count(json['revision']) ?? 0;
  if (json['outputs'] !== undefined) state.outputs = readOutputs(json['outputs']);
  if (json['status_reason'] !== undefined) state.status_reason = asText(json['status_reason']);
  if (json['context_metadata'] !== undefined) {
    state.context_metadata = readContextMetadata(json['context_metadata']);
  }
  return { state };
}

/** Entries are stored with @, as the guidance prints them. */
export function withAt(path: string): string {
  return path.startsWith('@') ? path : `@${path}`;
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

function readContext(value: unknown): JsonObject {
  if (value === null) return {};
  return isObject(value) ? value : { note: value };
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

function readConflicts(value: unknown): NonNullable<RunState['conflicts']> {
  const list: unknown[] = Array.isArray(value) ? value : [];
  return list.filter(isObject).map((entry) => ({
    ...entry,
    field: textOr(entry['field']),
    kept: entry['kept'],
    other: entry['other'],
  }));
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

function readOutputs(value: unknown): NonNullable<RunState['outputs']> {
  const entries: [string, unknown][] = isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.map(([phase, output]) => {
      if (!isObject(output)) return [phase, output === null ? {} : { text: asText(output) }];
      const { text, artefacts, ...rest } = output;
      return [
        phase,
        {
          ...rest,
          ...(text === undefined || text === null ? {} : { text: asText(text) }),
          ...(artefacts === undefined ? {} : { artefacts: texts(artefacts) }),
        },
      ];
    }),
  );
}

function readSessions(value: unknown): NonNullable<RunState['sessions']> {
  if (!isObject(value)) return {};
  const history: unknown[] = Array.isArray(value['session_history'])
    ? value['session_history']
    : [];
  return {
    ...value,
    current_session_id: isFilled(value['current_session_id']) ? value['current_session_id'] : null,
    session_history: history.filter(isObject).map((record) => ({
      ...withoutNull(record),
      session_id: textOr(record['session_id']),
      started_at: textOr(record['started_at']),
      ...(record['phases_completed'] === undefined
        ? {}
        : { phases_completed: texts(record['phases_completed']) }),
    })),
  };
}

function readContextMetadata(value: unknown): NonNullable<RunState['context_metadata']> {
  if (!isObject(value)) return {};
  const loaded: unknown[] = Array.isArray(value['artifacts_in_context'])
    ? value['artifacts_in_context']
    : [];
  return {
    ...value,
    ...(value['compaction_count'] === undefined
      ? {}
      : { compaction_count: count(value['compaction_count']) ?? 0 }),
    ...(value['reload_count'] === undefined
      ? {}
      : { reload_count: count(value['reload_count']) ?? 0 }),
    artifacts_in_context: loaded.filter(isObject).map((entry) => ({
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
