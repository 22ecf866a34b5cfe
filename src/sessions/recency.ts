import type { StoredRun } from '../state/types.ts';

/** The later of `updated_at` and the file's modification time, because agents edit state files directly. */
export function recencyOf(run: StoredRun): number {
  const updated = Date.parse(run.state.updated_at ?? '');
  return Math.max(Number.isNaN(updated) ? 0 : updated, run.modifiedAt);
}
