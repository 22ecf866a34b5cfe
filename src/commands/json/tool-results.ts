import type { Phase, RunState } from '../../state/types.ts';
import type { ContextCommand } from '../../machine/machine-state.ts';
import type { Status } from '../../machine/status.ts';
import type { ReadingEntry } from '../../guidance/reading/required-reading.ts';
import type { TodoDocument } from './documents.ts';

// What the MCP tools return: one type for each tool. docs/reference/json.md is made from these declarations and their
// comments, and test/integration/json-documents.test.ts compares them with what the built server replies.

/** Each tool → the JSON in the first text of its reply. */
export interface ToolResults {
  workflow_start: RunReply;
  workflow_status: RunReply;
  workflow_set_tasks: RunReply;
  workflow_advance: RunReply | AdvanceRequestedReply;
  workflow_complete: RunReply;
  workflow_fail: RunReply;
  workflow_note: NoteReply | ForgottenNoteReply;
  workflow_context: TemplateContextReply | PhasesContextReply;
  prime_context: PrimeReply;
  update_todo_list: TodoReply;
}

/** Where the run stands, or what has to be done before that is told. */
export type RunReply =
  | TemplateRunReply
  | PhaseRunReply
  | ContextActionReply
  | EndTurnReply;

/** A run of a template: the step that is to be done. */
export interface TemplateRunReply extends Status, RunFacts {}

/** A run without a template. */
export interface PhaseRunReply extends RunFacts {
  status: NonNullable<RunState['status']>;
  /** Why it is paused or blocked. */
  reason?: string;
  phase: Phase;
  /** The names of all phases. */
  phases?: string[];
}

/** The step starts with a compacted or cleared conversation. Comes once for each entry. */
export interface ContextActionReply extends ReplyDetails {
  contextAction: ContextCommand;
  /** What the user has to type. */
  message: string;
}

/** In a session that `holdfast run` drives: the turn is over. */
export interface EndTurnReply extends ReplyDetails {
  message: string;
}

export interface RunFacts extends ReplyDetails {
  /** What the tool did. */
  message?: string;
  /** The run id. */
  run: string;
  workflow: string;
  /** How the step failed before. */
  failure?: string;
  /** Why the phase is blocked. */
  blocked?: string;
  /** The phases that were skipped. */
  skipped?: string;
  /** The state of the `/compact` or `/clear` that belongs before the step. */
  context?: string;
  /** What waits for an approval. */
  wait?: string;
  /** How close the run is to the limit of pivots. */
  warning?: string;
  requiredReading?: ReadingEntry[];
  keyReminders?: string[];
}

export interface ReplyDetails {
  /** The artifacts that are due, or their contents. */
  artifacts?: string;
  /** `workflow_start`: runs that exist already. */
  existing?: ExistingRun[];
  /** `workflow_advance`: files that were named and do not exist. */
  doesNotExist?: string[];
  /** `workflow_status`, for a session that does not hold the run: the other active runs. */
  others?: string[];
}

/** In a session that `holdfast run` drives: a check follows. */
export interface AdvanceRequestedReply {
  requested: true;
  message: string;
}

export interface ExistingRun {
  run: string;
  workflow: string;
  phase: string;
  /** The tool or command that continues it. */
  continue: string;
}

export interface NoteReply {
  run: string;
  /** The number of the note. */
  n: number;
  /** The number of the note that it replaces. */
  replaced?: number;
  message: string;
}

export interface ForgottenNoteReply {
  run: string;
  /** The number of the note. */
  forgotten: number;
  message: string;
}

export interface FinishedSteps {
  run: string;
  workflow: string;
  /** Each step or phase → what it left for later ones. */
  outputs: Record<string, string>;
  /** How many earlier outputs were left out, and what shows them. */
  leftOut?: string;
}

export interface TemplateContextReply extends FinishedSteps {
  /** What the run is about. */
  summary?: string;
  /** Each step → the files that it produced. */
  artefacts: Record<string, string[]>;
}

export interface PhasesContextReply extends FinishedSteps {
  /** The facts of the run. */
  context: NonNullable<RunState['context']>;
  /** Each phase → the files that it produced. */
  artefacts: Record<string, string[]>;
}

export interface PrimeReply {
  run: string;
  /** The contents. */
  text: string;
}

export interface TodoReply extends TodoDocument {
  /** How to keep the lines that the list lost. */
  message?: string;
  /** Lines of others that the list does not have any more. */
  lost?: string[];
}
