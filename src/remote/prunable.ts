import type { Snapshot } from './snapshot.ts';

export const KEPT_DAYS = 90;

/** A run that ended this long ago may be removed from the remote; its record stays in the archive of each machine. */
export function isPrunable({ endedAt }: Snapshot, now: Date): boolean {
  const ended = Date.parse(endedAt ?? '');
  return !Number.isNaN(ended) && now.getTime() - ended > KEPT_DAYS * 24 * 3_600_000;
}
