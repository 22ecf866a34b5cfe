import type { DeclaredPhase } from '../state/types.ts';

/** What a source says about its workflow: a field it does not mention is absent. */
export interface DeclaredWorkflow {
  workflow: string;
  workflow_type?: string;
  phase?: DeclaredPhase;
  phases?: string[];
  required_reading: string[];
  key_reminders: string[];
  context: Record<string, unknown>;
}

export type SourceStatus =
  | { state: 'active'; said: DeclaredWorkflow }
  | { state: 'finished'; said?: DeclaredWorkflow }
  | { state: 'inactive' }
  | { state: 'none' };

export interface PlanFile {
  /** Relative to the project, with forward slashes. */
  path: string;
  exists: (projectRelativePath: string) => boolean;
}
