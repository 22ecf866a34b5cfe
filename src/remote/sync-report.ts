import type { Conflict } from './merge-fields.ts';
import type { SnapshotDefect } from './snapshot.ts';

export interface SyncReport {
  remote: string;
  /** Runs that the remote has now as they are here. */
  sent: string[];
  /** Runs that were not here before. */
  arrived: string[];
  /** Runs that other machines had changed. */
  updated: string[];
  /** Runs that ended on another machine. */
  ended: string[];
  /** Runs that a session on another machine has taken from one here. */
  taken_over: string[];
  conflicts: ({ run: string } & Conflict)[];
  /** Refs that this version cannot read. */
  skipped: { run: string; defect: SnapshotDefect }[];
  /** Runs that the remote has but does not list, so that no other machine gets them. */
  hidden: string[];
  /** Runs whose history on the remote was replaced. */
  rewritten: string[];
}

export function emptyReport(remote: string): SyncReport {
  return {
    remote,
    sent: [],
    arrived: [],
    updated: [],
    ended: [],
    taken_over: [],
    conflicts: [],
    skipped: [],
    hidden: [],
    rewritten: [],
  };
}

/** Each run is named once, although it may take several tries. */
export function addOnce(list: string[], runId: string): void {
  if (!list.includes(runId)) list.push(runId);
}
