import type { PlanFormatId } from '../settings/settings.ts';
import type { EventName } from '../state/journal.ts';
import type { SourceRecords } from '../state/store/source-records-file.ts';
import type { DeclaredPhase, RunState, Run } from '../state/types.ts';

/** What a source declares now; a field that it does not mention is absent. */
export interface DeclaredWorkflow {
  workflow: string;
  workflow_type?: string;
  phase?: DeclaredPhase;
  phases?: string[];
  /** The numbers that the source gives the phases, in their order; absent where they are the positions. */
  labels?: string[];
  required_reading: string[];
  key_reminders: string[];
  context: Record<string, unknown>;
  /** The next open item of each phase that has one, by the number of the phase; the run may be in another one. */
  next_items?: Record<string, unknown>;
  /** The phases that the source calls skipped, cancelled or deferred, by number, with its word for it. */
  skipped?: Record<string, string>;
  /** The phases before the current one that the source shows neither as done nor as skipped. */
  undone?: number[];
}

/** One section of the local file; a file may declare several workflows. */
export interface DeclaredSection {
  state: 'active' | 'paused' | 'unclear' | 'finished' | 'cancelled';
  said: DeclaredWorkflow;
}

type GoingWorkflow = {
  state: 'active' | 'paused' | 'unclear';
  said: DeclaredWorkflow;
};

/**
 * What a source says about its workflow; a blocked one is active. `unclear` is a workflow whose state is not understood:
 * it starts no run and feeds the one that it has. It ends none, except that a section whose phase is done ends a run
 * that has no phases left.
 */
export type SourceStatus =
  | GoingWorkflow
  | { state: 'finished' | 'cancelled' | 'not_started'; said?: DeclaredWorkflow }
  | { state: 'none' };

/** The format of a plan that a run was started from and that no tool's format fits. */
export const ANY_PLAN = 'markdown';

interface SourcePlace {
  kind: 'local-file' | 'plan';
  path: string;
  modifiedAt?: number;
  /** The tool that wrote the plan; absent for plans in holdfast's own format. */
  format?: PlanFormatId | typeof ANY_PLAN;
  /** Where a finished plan is that is not at its path any more. */
  movedTo?: string;
}

/** A file that may declare a workflow, and what it declares now. An `unreadable` one changes nothing. */
export type SourceFile = SourcePlace & (SourceStatus | { state: 'unreadable' });

/** A source that declares a workflow, and does not only say that it is over or has not begun. */
export type SourceUpdate = SourcePlace & GoingWorkflow;

export interface SyncInput {
  now: Date;
  session: string | null;
  sources: readonly SourceFile[];
  runs: readonly Run[];
  sourceRecords: SourceRecords;
  /** The branch that is checked out, or the commit; empty without git. */
  head: string;
}

/** A run as it will be after all sources are merged; `run` is null if it does not exist yet. */
export interface RunDraft {
  run: Run | null;
  state: RunState;
  updates: SourceUpdate[];
  /** The run that comes back from the archive because its source has returned. */
  archivedRunId?: string;
}

interface ChangeOfRun extends RunDraft {
  run: Run;
  /** What the session that holds the run is told, without a full stop; null if it need not know. */
  message: string | null;
}

export type SyncChange =
  | (RunDraft & { kind: 'create'; run: null })
  | (ChangeOfRun & { kind: 'update'; event: EventName })
  /** The source says so, or no longer declares the run; the updates come from other sources. */
  | (ChangeOfRun & { kind: 'end'; as: 'completed' | 'cancelled' | 'away' });
