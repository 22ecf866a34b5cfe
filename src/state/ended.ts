import type { RunState } from './types.ts';

/** Whether the run was completed or cancelled. Its place is the archive, but files are also written by hand. */
export function isEnded({ status }: Pick<RunState, 'status'>): boolean {
  return status === 'completed' || status === 'cancelled';
}
