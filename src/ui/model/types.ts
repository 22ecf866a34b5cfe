/** What the server sends and the page draws: plain JSON. Texts from the project are sanitized and cut before. */

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
}

export type Waiting = 'approval' | 'tasks' | '/compact' | '/clear' | 'unblocking';

export interface PhaseFacts {
  current: number;
  total: number;
  name: string;
  status: string;
}

export interface Holder {
  session: string;
  isLive: boolean;
  seenAt: string | null;
}

/** Everything about one run, except its guidance. */
export interface RunPage {
  card: RunCard;
  type: string | null;
  createdAt: string;
  /** What the run is about, if its name does not say it. */
  summary: string | null;
  statusReason: string | null;
  /** What somebody should know before reading on: a broken state, a failure, a source that is gone. */
  notes: Note[];
  steps: StepNode[];
  /** Steps that are not drawn because there are too many. */
  stepsLeftOut: number;
  now: NowFacts | null;
  commands: ContinueCommand[];
  reading: ReadingFile[];
  /** Files that hooks still ask the session to open. */
  pendingReads: string[];
  todo: TodoFacts | null;
  reminders: string[];
  facts: Fact[];
  artifacts: Fact[];
  outputs: Output[];
  feedback: FeedbackEntry[];
  sessions: SessionEntry[];
  timeline: TimelineEntry[];
  timelineLeftOut: number;
  /** How many characters a restore may give at most. */
  budget: number;
  totals: Totals;
}

export interface Note {
  tone: 'warning' | 'error' | 'info';
  text: string;
}

export interface Totals {
  compactions: number;
  restores: number;
  pivots: number;
  sessions: number;
  /** Of driven steps, in US dollars; null if no event tells one. */
  cost: number | null;
}

/** What is to be done now. */
export interface NowFacts {
  title: string;
  /** Where in a loop or an iteration the run is. */
  progress: string;
  agent: string | null;
  contextAction: { command: string; state: 'due' | 'requested' | 'performed' } | null;
  instructions: string;
}

export interface ContinueCommand {
  label: string;
  command: string;
}

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

export interface ReadingFile {
  path: string;
  state: 'in_context' | 'changed' | 'unread' | 'missing' | 'outside' | 'host';
}

export interface TodoFacts {
  path: string;
  done: number;
  total: number;
  items: { n: number; text: string; done: boolean }[];
  itemsLeftOut: number;
}

export interface Fact {
  name: string;
  value: string;
}

export interface Output {
  from: string;
  text: string;
  files: string[];
}

export interface FeedbackEntry {
  from: string;
  to: string;
  text: string;
  at: string;
  isOpen: boolean;
}

export interface SessionEntry {
  id: string;
  machine: string | null;
  startedAt: string;
  seenAt: string | null;
  endedAt: string | null;
  endReason: string | null;
  handedTo: string | null;
  takenBy: string | null;
  finished: string[];
  isHolder: boolean;
}

/** Decides the icon and the filter that an event belongs to. */
export type EventKind =
  | 'progress'
  | 'context'
  | 'restore'
  | 'reading'
  | 'back'
  | 'trouble'
  | 'person'
  | 'session'
  | 'cost'
  | 'other';

export interface TimelineEntry {
  at: string;
  kind: EventKind;
  title: string;
  /** Reasons, outputs and feedback, as somebody wrote them. */
  text: string | null;
  /** Other fields of the event. */
  facts: Fact[];
  session: string | null;
  /** What a restore gave to the session. */
  restored: RestoredFacts | null;
  cost: number | null;
}

export interface RestoredFacts {
  given: string;
  characters: number | null;
  sections: { name: string; characters: number }[];
}

/** The very text that a restore gave; `sections` is null if no transcript has it. */
export interface RestoredText {
  sections: { name: string; text: string }[] | null;
}

/** What a session would get. */
export interface GuidancePage {
  kind: 'guidance' | 'none';
  /** Why this text, or why none. */
  why: string;
  characters: number;
  tokens: number;
  maxCharacters: number;
  sections: GuidanceSectionFacts[];
  leftOut: string[];
  /** The line that the user sees. */
  userLine: string;
}

export interface GuidanceSectionFacts {
  name: string;
  characters: number;
  tokens: number;
  /** Whether it stays the same within a step. */
  isFrame: boolean;
  cut: string | null;
  text: string;
}

/** A sentence instead of an answer. */
export interface Refused {
  error: { code: string; message: string; hint: string };
}
