import type { Fact } from './fact.ts';
import type { RunCard } from './overview.ts';
import type { StepNode } from './steps.ts';
import type { TimelineEntry } from './timeline.ts';

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
  heldBy: string | null;
  finished: string[];
  isHolder: boolean;
}
