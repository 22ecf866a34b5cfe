import type { DeclaredPhase } from '../../state/types.ts';

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

/**
 * What a source says about its workflow; a blocked one is active. `unclear` is a workflow whose state is not understood:
 * it starts no run and feeds the one that it has. It ends none, except that a section whose phase is done ends a run
 * that has no phases left.
 */
export type SourceStatus =
  | { state: 'active' | 'paused' | 'unclear'; said: DeclaredWorkflow }
  | { state: 'finished' | 'cancelled' | 'not_started'; said?: DeclaredWorkflow }
  | { state: 'none' };
