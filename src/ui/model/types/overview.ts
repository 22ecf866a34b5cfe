/** All runs of a project. Like everything that the server sends, plain JSON: its texts are sanitized and cut before. */
export interface Overview {
  project: { name: string; root: string };
  /** In progress, the most recent first. */
  active: RunCard[];
  /** Paused, failed, or finished without having been archived. */
  stopped: RunCard[];
  /** The most recent first. */
  archived: RunCard[];
  /** Archived runs that are not in the list because there are too many. */
  archivedLeftOut: number;
  /** Workflows that a source declares and no state file has yet. */
  detected: DetectedWorkflow[];
  /** Files that are not usable as runs. */
  problems: FileProblem[];
  /** Where hooks are registered; empty if nothing is restored yet. */
  hooks: string[];
}

export interface FileProblem {
  path: string;
  why: string;
  /** What a person can do about it. */
  fix: string;
}

export interface DetectedWorkflow {
  workflow: string;
  phase: string;
  source: string;
}

export type RunStatus = 'in_progress' | 'paused' | 'failed' | 'completed' | 'cancelled';

export interface RunCard {
  id: string;
  workflow: string;
  template: string | null;
  status: RunStatus;
  isArchived: boolean;
  phase: PhaseFacts;
  /** What the run waits for. */
  waitsFor: Waiting | null;
  holder: Holder | null;
  updatedAt: string;
  /** The first of the commands that continue it. */
  command: string;
}

export type Waiting = 'approval' | 'tasks' | '/compact' | '/clear' | 'unblocking';

export interface PhaseFacts {
  current: number;
  total: number;
  /** False if nobody has said how many phases there are: then the name is all that is known. */
  isCounted: boolean;
  name: string;
  status: string;
}

export interface Holder {
  session: string;
  isLive: boolean;
  seenAt: string | null;
}
