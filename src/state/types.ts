import type { ContextActionState } from '../machine/context-action.ts';
import type { MachineState } from '../machine/machine-state.ts';
import type { BrokenRunError, Position } from '../machine/position.ts';
import type { Status } from '../machine/status.ts';
import type { Template } from '../machine/template-types.generated.ts';
import type { JsonObject } from '../text/json.ts';
import type { RunState } from './state-types.generated.ts';

export type {
  Environment,
  FieldConflict,
  Hold,
  Note,
  Phase,
  RunState,
  SessionRecord,
  Source,
} from './state-types.generated.ts';

export type PhaseStatus = RunState['phase']['status'];

export const RUN_STATUSES = [
  'in_progress',
  'paused',
  'failed',
  'completed',
  'cancelled',
] as const;
export const PHASE_STATUSES = [
  'not_started',
  'in_progress',
  'completed',
  'blocked',
] as const;
export const WORKFLOW_TYPES = [
  'planning',
  'qa-loop',
  'implementation',
  'custom',
] as const;

/** A state file: the name and the path are those of the file, whatever its content says. */
export interface RunFile {
  runId: string;
  slug: string;
  /** From the project root, with forward slashes. */
  path: string;
  state: RunState;
  modifiedAt: number;
}

/**
 * One execution of a workflow, with everything in its state file checked once, when it is read. A value: what changes a run
 * makes another one.
 */
export type Run = PhaseRun | TemplateRun | BrokenRun;

/** Moves through phases that a person, an agent or a source named. */
export interface PhaseRun extends RunFile {
  kind: 'phases';
}

/** Moves through the steps of a template, of which the state file has a copy. */
export interface TemplateRun extends RunFile {
  kind: 'template';
  template: Template;
  machine: MachineState;
  /** Null once the machine is complete. */
  place: Position | null;
  status: Status;
  action: ContextActionState | null;
}

/** Its copy of the template, or its place in it, cannot be used: `error` names the field. */
export interface BrokenRun extends RunFile {
  kind: 'broken';
  error: BrokenRunError;
}

/** A phase as a person or an agent declares it; parts that are not mentioned are absent. */
export interface DeclaredPhase {
  current?: number;
  total?: number;
  name?: string;
  status?: PhaseStatus;
  /** The number that the source gives the phase, where that is not its position. */
  label?: string;
  /** The numbers in the line are not understood, so that those of the run do not count any more either. */
  total_known?: false;
  /** The line as it stands, if it does not give both numbers. */
  line?: string;
}

/** One line of a run's journal as it is read; a later version may have written it. */
export type JournalEvent = JsonObject & { event: string };
