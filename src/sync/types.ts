import type { DeclaredWorkflow, SourceStatus } from '../detect/types.ts';
import type { PlanFormatId } from '../settings/settings.ts';
import type { LivenessContext } from '../sessions/holder.ts';
import type { SourceRecords } from '../state/store/source-records-file.ts';
import type { RunState, StoredRun } from '../state/types.ts';

/** A file that may declare a workflow, and what it declares now. An `unreadable` one changes nothing. */
export interface SourceFile {
  kind: 'local-file' | 'plan';
  path: string;
  /** The tool that wrote the plan; absent for plans in holdfast's own format. */
  format?: PlanFormatId;
  reading: SourceStatus | { state: 'unreadable' };
  fingerprint?: SourceFingerprint;
}

/** As long as this is unchanged, the source declares the same and need not be parsed again. */
export interface SourceFingerprint {
  /** Of the text. */
  digest: string;
  /** Of the file's metadata; absent if the file was read too soon after a write to rely on it. */
  mark?: string;
  /** The files the parser looked for, and whether they existed. */
  exists: Record<string, boolean>;
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
  | { kind: 'create'; state: RunState; updates: SourceUpdate[] }
  | { kind: 'update'; run: StoredRun; state: RunState; updates: SourceUpdate[] }
  | { kind: 'archive'; run: StoredRun; source: SourceFile }
  | { kind: 'forget'; source: SourceFile };
