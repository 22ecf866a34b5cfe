import { HoldfastError } from '../../errors/holdfast-error.ts';
import { readTextFile } from '../../io/read-file.ts';
import { isWithinLimits } from '../../util/json-limits.ts';
import { archivedState } from '../paths.ts';
import type { RunState, StoredRun } from '../types.ts';
import { MAX_STATE_BYTES } from './list-runs.ts';

export function serializeState(state: RunState): string {
  return `${JSON.stringify(state, null, 2)}\n`;
}

/** Rejects a state that would be too large to read again. */
export function serializeWithinLimits(state: RunState, runId: string): string {
  const content = serializeState(state);
  const bytes = Buffer.byteLength(content);
  if (bytes > MAX_STATE_BYTES || !isWithinLimits(content))
    throw new HoldfastError({
      code: 'run_too_large',
      run: runId,
      bytes,
      maxBytes: MAX_STATE_BYTES,
    });
  return content;
}

export function nextRevision(state: RunState, runId: string, now: Date): RunState {
  return {
    ...state,
    // Kept as it is written: a newer version may have written the file.
    schema_version: state.schema_version ?? 1,
    run_id: runId,
    revision: (state.revision ?? 0) + 1,
    updated_at: now.toISOString(),
  };
}

/** True if the run's writer was killed after it wrote the archive and before it removed the state file. */
export function isAlreadyArchived(root: string, run: StoredRun): boolean {
  if (run.state.status !== 'completed' && run.state.status !== 'cancelled') return false;
  const path = `${root}/${archivedState(run.runId)}`;
  const archived = readTextFile(path, MAX_STATE_BYTES, 'refused');
  return archived.kind === 'text' && archived.text === serializeState(run.state);
}
