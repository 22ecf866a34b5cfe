import type { ContextAction, Step } from '../template-types.generated.ts';

export type ContextCommand = `/${ContextAction}`;

/** How often a step is tried again if its template does not say. */
export const DEFAULT_RETRIES = 3;

export const TASK_STATUSES = ['pending', 'in_progress', 'done', 'failed'] as const;
export const MACHINE_STATUSES = ['running', 'complete', 'failed'] as const;

export interface Task {
  id: string;
  title: string;
  description?: string;
  status: (typeof TASK_STATUSES)[number];
}

/** The context action that belongs before the current entry into a step. */
export interface RequestedAction {
  command: ContextCommand;
  requestedAt?: string;
  performedAt?: string;
}

export type InputValue = string | number | boolean;

export interface LeftBehind {
  context: Record<string, unknown>;
  artifacts: Record<string, string>;
}

/** Where a run of a template stands. Keys that are not listed here are kept. */
export interface MachineState {
  status: (typeof MACHINE_STATUSES)[number];
  step: string;
  stepType: Step['type'];
  /** A loop step without one waits for its tasks. */
  task?: { index: number; id: string; title: string };
  subStep?: string;
  ralphIteration?: number;
  /** What the run was given when it started. */
  inputs?: Record<string, InputValue>;
  /** The steps whose `when` was false when the run came by: they are neither done nor skipped. */
  passedBy?: string[];
  /** By loop, or by step where several steps walk the same loop. */
  tasks: Record<string, Task[]>;
  /** By `step`, `step.iteration` or `step.task.subStep`. */
  outputs: Record<string, string>;
  summary?: string;
  /** What each step made. */
  artefacts: Record<string, string[]>;
  /** What the current step must make, and what it has made so far. */
  currentStepArtefacts?: string[];
  contextActionExecuted: boolean;
  contextAction?: RequestedAction;
  /** How often the current entry was tried again. */
  retries?: number;
  pivots?: number;
  /** The step that was left for the current one. */
  cameFrom?: string;
  /** What the transition into the current step carries over: `summary`, `feedback`, or the key of something. */
  preserved?: string[];
  /** The facts and named files that a clear did not carry over, as they were then: what is set later is new. */
  leftBehind?: LeftBehind;
  /** Why the run failed. */
  reason?: string;
}

/** Own keys only: a step may be called `constructor`. */
export function ownEntry<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
