import type { DeclaredWorkflow, SourceStatus } from './parse/types.ts';
import type { PlanFormatId } from '../settings/settings.ts';
import type { EventName } from '../state/journal.ts';
import type { SourceRecords } from '../state/store/hook-state.ts';
import type { RunState, StoredRun } from '../state/types.ts';

/** The format of a plan that a run was started from and that no tool's format fits. */
export const ANY_PLAN = 'markdown';

/** A file that may declare a workflow, and what it declares now. An `unreadable` one changes nothing. */
export interface SourceFile {
  kind: 'local-file' | 'plan';
  path: string;
  reading: SourceStatus | { state: 'unreadable' };
  /** When the file was last written, in milliseconds. */
  modifiedAt?: number;
  /** The tool that wrote the plan; absent for plans in holdfast's own format. */
  format?: PlanFormatId | typeof ANY_PLAN;
  /** Where a finished plan is that is not at its path any more. */
  movedTo?: string;
}

/** Everything that decides what a sync changes. */
export interface SyncInput {
  now: Date;
  session: string | null;
  sources: readonly SourceFile[];
  runs: readonly StoredRun[];
  sourceRecords: SourceRecords;
  /** The branch that is checked out, or the commit; empty without git. */
  head: string;
}

/** A source and the workflow it declares now. */
export interface SourceUpdate {
  source: SourceFile;
  declared: DeclaredWorkflow;
}

export type SyncChange =
  /** With `archivedRunId`, that run comes back from the archive because its source has returned. */
  | { kind: 'create'; state: RunState; updates: SourceUpdate[]; archivedRunId?: string }
  | UpdateOfRun
  | EndOfRun
  /** What was seen of sources, although no run changes. */
  | { kind: 'records'; records: SourceRecords };

export interface UpdateOfRun {
  kind: 'update';
  run: StoredRun;
  state: RunState;
  updates: SourceUpdate[];
  event: EventName;
  /** What the session that holds the run is told, without a full stop; null if it need not know. */
  message: string | null;
}

/** The source says so, or no longer declares the run; the updates come from other sources. */
export interface EndOfRun {
  kind: 'end';
  run: StoredRun;
  state: RunState;
  updates: SourceUpdate[];
  as: 'completed' | 'cancelled' | 'away';
  message: string;
}

/** A run as it will be after all sources are merged; `run` is null if it does not exist yet. */
export interface RunDraft {
  run: StoredRun | null;
  state: RunState;
  updates: SourceUpdate[];
  /** Whether `sources.json` knows what every source of the run declares. */
  isRecorded: boolean;
  /** The run that comes back from the archive. */
  archivedRunId?: string;
}
