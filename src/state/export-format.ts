import { isObject, ownMember } from '../text/json.ts';
import { isUsableRunId, runIdOf, timeIn, type RunName } from './paths.ts';
import { readState } from './read-state.ts';
import { slugOf } from '../text/slug.ts';
import type { JournalEvent, RunState, Run } from './types.ts';

const FORMAT = 'holdfast-run';

/** The file that `export` writes and `import` reads. */
export interface ExportFile {
  format: typeof FORMAT;
  version: 1;
  exported_at: string;
  run_id: string;
  slug: string;
  /** The state file, without its holder. */
  state: RunState;
  events: readonly JournalEvent[];
}

export interface PortableRun extends RunName {
  exported_at: string;
  state: RunState;
  events: JournalEvent[];
}

export const toExport = (
  { runId, slug, state }: Run,
  events: readonly JournalEvent[],
  now: Date,
): ExportFile => ({
  format: FORMAT,
  version: 1,
  exported_at: now.toISOString(),
  run_id: runId,
  slug,
  state: withoutHolder(state),
  events,
});

/** The run, or the end of a sentence about the file. It is untrusted, and its names become file names here. */
export function parseExport(json: unknown): PortableRun | string {
  if (!isObject(json) || json['format'] !== FORMAT)
    return 'it was not written by `holdfast export`';
  if (json['version'] !== 1)
    return 'it was written by a newer version of holdfast';
  const { run_id: runId, slug, exported_at: at, events } = json;
  if (typeof slug !== 'string' || slug === '' || slug !== slugOf(slug))
    return '"slug" is not the name of a run';
  // Or written by hand in the state.
  const isWrittenId =
    isUsableRunId(runId) && ownMember(json['state'], 'run_id') === runId;
  if (typeof runId !== 'string' || !(isNameOf(runId, slug) || isWrittenId))
    return '"run_id" is not the name of a run';
  const exported_at = typeof at === 'string' ? at : '';
  const createdAt = (): string => timeIn(runId) ?? exported_at;
  const state = readState(json['state'], { workflow: slug, createdAt });
  if (typeof state === 'string') return `"state": ${state}`;
  return {
    exported_at,
    runId,
    slug,
    state: withoutHolder(state),
    events: Array.isArray(events) ? events.filter(isEvent) : [],
  };
}

/** A session on another machine cannot hold the run here, nor have its artifacts in context. */
function withoutHolder(state: RunState): RunState {
  const { sessions, context_metadata: metadata } = state;
  return {
    ...state,
    ...(sessions === undefined
      ? {}
      : { sessions: { ...sessions, current_session_id: null } }),
    ...(metadata === undefined
      ? {}
      : { context_metadata: { ...metadata, artifacts_in_context: [] } }),
  };
}

function isNameOf(runId: string, slug: string): boolean {
  const rest = runId.startsWith(`${slug}-`) ? runId.slice(slug.length + 1) : '';
  return /^[\w-]{1,40}$/.test(rest) && runIdOf(`state-${runId}.json`) === runId;
}

const isEvent = (value: unknown): value is JournalEvent =>
  isObject(value) && typeof value['event'] === 'string';
