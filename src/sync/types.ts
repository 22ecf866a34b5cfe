import type { DeclaredWorkflow, SourceStatus } from '../detect/types.ts';
import type { SourceMemory } from '../state/store/source-memory-file.ts';
import type { RunState, StoredRun } from '../state/types.ts';

/** A file that may declare a workflow, and what it says now; `unreadable` decides nothing. */
export interface SourceFile {
  kind: 'local-file' | 'plan';
  path: string;
  reading: SourceStatus | { state: 'unreadable' };
  basis?: SourceFingerprint;
}

/** What a reading rests on: the text, and the files it was asked whether they exist. */
export interface SourceFingerprint {
  digest: string;
  /** Of the file as it was read; absent where that was too soon after a write. */
  mark?: string;
  exists: Record<string, boolean>;
}

export interface SyncInput {
  sources: readonly SourceFile[];
  runs: readonly StoredRun[];
  memory: SourceMemory;
  session: string | null;
  /** Whether a live session holds the run. */
  isHeld: (run: StoredRun) => boolean;
  now: Date;
}

export interface SourceUpdate {
  source: SourceFile;
  said: DeclaredWorkflow;
}

export type SyncChange =
  | { kind: 'create'; state: RunState; fedBy: SourceUpdate[] }
  | { kind: 'update'; run: StoredRun; state: RunState; fedBy: SourceUpdate[] }
  | { kind: 'archive'; run: StoredRun; source: SourceFile }
  | { kind: 'forget'; source: SourceFile };
