import type { StoredRun } from '../state/types.ts';

/** The later of `updated_at` and the file's modification time, because agents edit state files directly. */
export function recencyOf(run: StoredRun): number {
  const updated = Date.parse(run.state.updated_at ?? '');
  return Math.max(Number.isNaN(updated) ? 0 : updated, run.modifiedAt);
}

const STALE_AFTER = 14 * 24 * 3_600_000;

/** A run untouched for 14 days is listed, but no session gets it without asking for it. */
export function isLongAgo(time: number, now: Date): boolean {
  return now.getTime() - time > STALE_AFTER;
}
