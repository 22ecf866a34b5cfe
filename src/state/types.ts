import type { RunState } from './state-types.generated.ts';

export type {
  ContextMetadata,
  Environment,
  Phase,
  RunState,
  SessionRecord,
  Source,
} from './state-types.generated.ts';

export type RunStatus = NonNullable<RunState['status']>;
export type PhaseStatus = RunState['phase']['status'];

export const RUN_STATUSES: readonly RunStatus[] = ['in_progress', 'paused', 'failed', 'completed'];
export const PHASE_STATUSES: readonly PhaseStatus[] = [
  'not_started',
  'in_progress',
  'completed',
  'blocked',
];
export const WORKFLOW_TYPES = ['planning', 'qa-loop', 'implementation', 'custom'] as const;

/** A run as it lies on disk: the name and the place are the file's, whatever its content says. */
export interface StoredRun {
  runId: string;
  slug: string;
  /** From the project root, with forward slashes. */
  path: string;
  state: RunState;
  modifiedAt: number;
}

/** A phase as a person or an agent writes it down: a part that is not mentioned is absent. */
export interface DeclaredPhase {
  current?: number;
  total?: number;
  name?: string;
  status?: PhaseStatus;
}
