import type { DeclaredPhase } from '../state/types.ts';

/** What a source declares now; a field that it does not mention is absent. */
export interface DeclaredWorkflow {
  workflow: string;
  workflow_type?: string;
  phase?: DeclaredPhase;
  phases?: string[];
  required_reading: string[];
  key_reminders: string[];
  context: Record<string, unknown>;
  /** The next open item of each phase that has one, by the number of the phase; the run may be in another one. */
  next_items?: Record<string, unknown>;
}

/** One section of the local file; a file may declare several workflows. */
export type DeclaredSection =
  | { state: 'active'; said: DeclaredWorkflow }
  | { state: 'finished'; said: DeclaredWorkflow };

export type SourceStatus =
  | DeclaredSection
  | { state: 'finished'; said?: never }
  | { state: 'inactive' }
  | { state: 'none' };

export interface PlanFile {
  /** Relative to the project, with forward slashes. */
  path: string;
  exists: (projectRelativePath: string) => boolean;
}
