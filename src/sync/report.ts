import type { FieldConflict } from '../state/types.ts';
import type { WithheldField } from './withheld.ts';

/** What a sync did with which runs. */
export class SyncReport {
  readonly sent: string[] = [];
  /** They were not here before. */
  readonly arrived: string[] = [];
  readonly updated: string[] = [];
  /** They ended on another machine. */
  readonly ended: string[] = [];
  /** A session on another machine has taken them from one here. */
  readonly taken_over: string[] = [];
  readonly conflicts: ({ run: string } & FieldConflict)[] = [];
  /** They cannot be synced now. */
  readonly skipped: { run: string; reason: string }[] = [];
  /** What looks like a secret: its runs stay as they are, here and on the remote. */
  secrets: WithheldField[] = [];
  /** The remote has them but does not list them, so that no other machine gets them. */
  readonly hidden: string[] = [];
  /** Their history on the remote was replaced. */
  readonly rewritten: string[] = [];

  constructor(readonly remote: string) {}
}

/** Each run is named once, although it may take several tries. */
export function addOnce(list: string[], runId: string): void {
  if (!list.includes(runId)) list.push(runId);
}
