export type StepState =
  | 'done'
  | 'current'
  | 'open'
  | 'skipped'
  | 'passed'
  | 'failed'
  | 'blocked'
  | 'waiting';

export interface StepNode {
  /** Counted from 1. */
  n: number;
  id: string;
  title: string;
  kind: 'phase' | 'action' | 'loop' | 'ralph' | 'approval';
  state: StepState;
  /** The context action before the step. */
  contextBefore: 'compact' | 'clear' | null;
  agent: string | null;
  gate: string | null;
  until: string | null;
  when: string | null;
  onFail: string | null;
  /** The step that a rejection leads back to. */
  onReject: string | null;
  iterations: { current: number | null; total: number } | null;
  loop: LoopFacts | null;
  /** Why it was skipped. */
  reason: string | null;
  /** The beginning of what the step handed on. */
  output: string | null;
  /** Files that it has left or must leave. */
  files: string[];
}

export interface LoopFacts {
  name: string;
  subSteps: SubStepNode[];
  tasks: TaskNode[];
  tasksLeftOut: number;
}

export interface SubStepNode {
  id: string;
  isCurrent: boolean;
  contextBefore: 'compact' | 'clear' | null;
  gate: string | null;
  agent: string | null;
  onFail: string | null;
}

export interface TaskNode {
  id: string;
  title: string;
  status: 'pending' | 'in_progress' | 'done' | 'failed';
  isCurrent: boolean;
}
