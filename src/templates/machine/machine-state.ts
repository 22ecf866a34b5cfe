import { evaluate } from '../../text/conditions.ts';
import type { ContextAction, Step, Template } from '../template-types.generated.ts';

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
  reason?: string;
}

export type InputValue = string | number | boolean;

/** Where a run of a template stands. Keys that are not listed here are kept. */
export interface MachineState {
  status: (typeof MACHINE_STATUSES)[number];
  step: string;
  stepType: Step['type'];
  /** A loop step without one waits for its tasks. */
  task?: { index: number; id: string; title: string };
  subStep?: string;
  ralphIteration?: number;
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
  contextAction?: { command: ContextCommand; requestedAt?: string; performedAt?: string };
  /** How often the current entry was tried again. */
  retries?: number;
  pivots?: number;
  /** The outputs of the work that a pivot sent back, marked as such, while the step that it went to is under way. */
  sentBack?: Record<string, string>;
  /** The step that was left for the current one. */
  cameFrom?: string;
  /** What the transition into the current step carries over: `summary`, `feedback`, or the key of something. */
  preserved?: string[];
  /** What there was when a clear transition led to the current step: only what that preserves, and newer things, count. */
  leftBehind?: {
    outputs?: string[];
    context: Record<string, unknown>;
    artifacts: Record<string, string>;
  };
  reason?: string;
}

/** The run around a machine, as its state file has it: what `when` conditions and sentences need besides the machine. */
export type RunFacts = Readonly<Record<string, unknown>>;

/** What the moves of a machine depend on besides its state. */
export type MachineContext = { template: Template; facts: RunFacts };

/** Names the run in a command that may be typed where no run, or another one, is meant; empty for a machine without one. */
export const runArgument = ({ run_id: id }: RunFacts, option = ''): string =>
  typeof id === 'string' ? ` ${option}${id}` : '';

/** Whether the step's condition is false. A condition that cannot be read counts as false. */
export function isPassedBy({ when }: Step, state: MachineState, facts: RunFacts): boolean {
  if (when === undefined) return false;
  const { inputs = {}, outputs } = state;
  const result = evaluate(when, { inputs, outputs, ...facts, machine: state });
  return result.kind === 'bad' || !result.value;
}

const WHITE = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;
const CONTROL = /[\u0000-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
// Half of a character, which a JSON escape can make.
const LONE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** What a run is about, in one line, kept whole; undefined if nothing is left of it. */
export function cleanSummary(text = ''): string | undefined {
  const line = text.replace(WHITE, ' ').replace(CONTROL, '').replace(LONE, '').trim();
  return line === '' ? undefined : line;
}
