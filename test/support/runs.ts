import { parseRun } from '../../src/state/run.ts';
import type { Edits } from '../../src/state/edits.ts';
import type {
  DeclaredWorkflow,
  SourceFile,
  SourceStatus,
} from '../../src/sources/types.ts';
import { slugOf } from '../../src/text/slug.ts';
import type {
  Phase,
  Run,
  RunFile,
  RunState,
  SessionRecord,
} from '../../src/state/types.ts';

export const NOW = new Date('2025-06-01T12:00:00.000Z');
export const HERE = 'this-machine';

export function minutesBefore(minutes: number, time = NOW): string {
  return new Date(time.getTime() - minutes * 60_000).toISOString();
}

export function aPhase(fields: Partial<Phase> = {}): Phase {
  return {
    current: 1,
    total: 5,
    name: 'Design',
    status: 'in_progress',
    ...fields,
  };
}

export function aState(fields: Partial<RunState> = {}): RunState {
  return {
    workflow: 'Feature',
    workflow_type: 'custom',
    phase: aPhase(),
    required_reading: [],
    created_at: '2025-05-01T08:00:00.123456Z',
    status: 'in_progress',
    ...fields,
  };
}

export function aRun(
  fields: Partial<RunState> = {},
  file: Partial<Omit<RunFile, 'state'>> = {},
): Run {
  const state = aState(fields);
  const slug = file.slug ?? slugOf(state.workflow);
  const runId = file.runId ?? `${slug}-20250501_080000`;
  const path = `untracked/workflow-state/${slug}/state-${runId}.json`;
  return parseRun({ slug, runId, path, modifiedAt: 0, ...file, state });
}

/** A session record seen just now in this checkout; `fields` override it. */
export function aRecord(
  session: string,
  fields: Partial<SessionRecord> = {},
): SessionRecord {
  return {
    session_id: session,
    started_at: minutesBefore(60),
    last_seen_at: minutesBefore(1),
    environment: { hostname: HERE },
    ...fields,
  };
}

export function heldBy(
  session: string,
  fields: Partial<SessionRecord> = {},
): Partial<RunState> {
  return {
    sessions: {
      current_session_id: session,
      session_history: [aRecord(session, fields)],
    },
  };
}

export function aSaid(
  fields: Partial<DeclaredWorkflow> = {},
): DeclaredWorkflow {
  return {
    workflow: 'Feature',
    required_reading: [],
    key_reminders: [],
    context: {},
    ...fields,
  };
}

export const LOCAL_FILE = 'CLAUDE.local.md';

export function localFile(
  declared: DeclaredWorkflow | SourceStatus,
): SourceFile {
  return { kind: 'local-file', path: LOCAL_FILE, ...readingOf(declared) };
}

export function plan(
  path: string,
  declared: DeclaredWorkflow | SourceStatus,
): SourceFile {
  return { kind: 'plan', path, ...readingOf(declared) };
}

function readingOf(declared: DeclaredWorkflow | SourceStatus): SourceStatus {
  return 'state' in declared ? declared : { state: 'active', said: declared };
}

/** `holdfast update` without options. */
export const NO_EDITS: Edits = {
  read: [],
  remind: [],
  set: [],
  setLocal: [],
  artifact: [],
  unread: [],
  forget: [],
  unset: [],
};
