import type { DeclaredWorkflow, SourceStatus } from '../detect/types.ts';
import type { SourceEnd } from '../errors/sources.ts';
import type { PlanFormatId } from '../settings/settings.ts';
import type { LivenessContext } from '../sessions/holder.ts';
import type { SourceRecords } from '../state/store/read-records.ts';
import type { RunState, StoredRun } from '../state/types.ts';

/** The format of a plan that a run was started from and that no tool's format fits. */
export const ANY_PLAN = 'markdown';

/** A file that may declare a workflow, and what it declares now. An `unreadable` one changes nothing. */
export type SourceFile = LocalFileSource | PlanSource | MovedPlan;

interface AnySource {
  path: string;
  reading: SourceStatus | { state: 'unreadable' };
  /** When the file was last written, in milliseconds. */
  modifiedAt?: number;
}

export interface LocalFileSource extends AnySource {
  kind: 'local-file';
  format?: never;
  fingerprint?: never;
  movedTo?: never;
}

export interface PlanSource extends AnySource {
  kind: 'plan';
  /** The tool that wrote the plan; absent for plans in holdfast's own format. */
  format?: PlanFormatId | typeof ANY_PLAN;
  /** Absent for a plan that was not parsed. */
  fingerprint?: SourceFingerprint;
  movedTo?: never;
}

/** A plan that is not at its path any more, but in a folder of finished plans. */
export interface MovedPlan {
  kind: 'plan';
  path: string;
  reading: { state: 'finished'; said?: never };
  movedTo: string;
  format?: never;
  fingerprint?: never;
  modifiedAt?: never;
}

/** As long as this is unchanged, the source declares the same and need not be parsed again. */
export interface SourceFingerprint {
  /** Of the text. */
  digest: string;
  /** Of the file's metadata; absent if the file was read too soon after a write to rely on it. */
  mark?: string;
  /** The files the parser looked for, and whether they existed. */
  exists: Record<string, boolean>;
  /** Digest of the text without its ticks; see `outlineOf`. */
  outline?: string;
  ticks?: number;
}

/** Everything that decides what a sync changes. */
export interface SyncInput extends LivenessContext {
  session: string | null;
  sources: readonly SourceFile[];
  runs: readonly StoredRun[];
  sourceRecords: SourceRecords;
}

/** A source and the workflow it declares now. */
export interface SourceUpdate {
  source: SourceFile;
  declared: DeclaredWorkflow;
}

export type SyncChange =
  /** With `archivedRunId`, that run comes back from the archive because its source has returned. */
  | { kind: 'create'; state: RunState; updates: SourceUpdate[]; archivedRunId?: string }
  /** Without updates, the run is only released. */
  | { kind: 'update'; run: StoredRun; state: RunState; updates: SourceUpdate[] }
  /** The source says that the work is finished; the updates come from older sources. */
  | { kind: 'complete'; run: StoredRun; source: SourceFile; updates: SourceUpdate[] }
  /** The source no longer declares the run. */
  | { kind: 'archive'; run: StoredRun; reason: SourceEnd }
  /** The text of a source changed, but not what it declares. */
  | { kind: 'record'; run: StoredRun; update: SourceUpdate }
  | { kind: 'forget'; source: SourceFile };
