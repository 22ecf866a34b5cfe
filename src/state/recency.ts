import type { Run } from './types.ts';

const STALE_AFTER_MS = 14 * 24 * 3_600_000;

/** The run that was touched last comes first. */
export function byRecency(runs: readonly Run[]): Run[] {
  return runs
    .map((run) => ({ run, recency: recencyOf(run) }))
    .toSorted(
      // Runs of one time have a fixed order too, so that lists do not change from call to call.
      (a, b) => b.recency - a.recency || (a.run.runId < b.run.runId ? 1 : -1),
    )
    .map(({ run }) => run);
}

/** The later of `updated_at` and the file's modification time, because agents edit state files directly. */
export function recencyOf(run: Run): number {
  const updatedAt = Date.parse(run.state.updated_at ?? '');
  return Math.max(Number.isNaN(updatedAt) ? 0 : updatedAt, run.modifiedAt);
}

/** A run untouched for 14 days is listed, but no session gets it without asking for it. */
export function isLongAgo(time: number, now: Date): boolean {
  return now.getTime() - time > STALE_AFTER_MS;
}
