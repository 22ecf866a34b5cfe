import type { ReadingEntry } from '../guidance/reading/required-reading.ts';
import type { TodoList } from '../guidance/todo/file.ts';
import type { Explanation } from '../runs/preview-guidance.ts';
import type { EventKind } from '../state/event-words.ts';
import type { RunState } from '../state/types.ts';
import type { ContextActionState } from '../machine/context-action.ts';
import type { Task } from '../machine/machine-state.ts';
import type { Feedback } from '../state/feedback.ts';
import type { Status } from '../machine/status.ts';
import type { PhaseState, Wait } from '../state/progress.ts';
import type {
  ContextAction,
  Step,
} from '../machine/template-types.generated.ts';
import type { KnownProject } from './known-projects.ts';
import type { RunSummary } from './run-summary.ts';

/** Everything that the server sends to the page, and what the page sends back. Both sides import their types from here. */

/** All runs of a project, or of all projects. */
export interface Overview {
  /** Whether the page may change runs. */
  mayChangeRuns: boolean;
  /** The root is empty on a page of all projects. */
  project: { name: string; root: string };
  runs: ShownRun[];
  /** Workflows that a source declares and no state file has yet. */
  detected: { workflow: string; phase: string; source: string }[];
  /** How many files are not usable as runs; `doctor` names them. */
  unusable: number;
}

/** A run as the page and `list --everywhere` show it: that of `list --json`, and how it goes on. */
export interface RunCard extends RunSummary {
  archived: boolean;
  template: string | null;
  wait: Wait | null;
  holder: RunHolder | null;
  /** How each phase stands; empty if that is not drawn. */
  phases: PhaseState[];
  commands: [ContinueCommand, ...ContinueCommand[]];
}

export type { Need } from './need.ts';

/** `project` is there on a page of all projects. */
export type ShownRun = RunCard & { project?: KnownProject };

export interface RunHolder {
  session: string;
  /** Empty for Claude Code. */
  host: string;
  live: boolean;
  gone: boolean;
  last_seen: string;
  /** How full the context was when that was last told, in percent. */
  fill: number | null;
}

export interface ContinueCommand {
  label: string;
  command: string;
}

/** Everything about one run: as `status --json`, `history` and `guidance --json` tell it, and as the page draws it. */
export interface RunPage {
  card: RunCard;
  /** How many runs of the project need a person, for the title of the page. */
  needs_you: number;
  mayChangeRuns: boolean;
  project: { key: string; root: string };
  run: RunState;
  /** Null for a run without a usable template, as is `context_action`. */
  step: Status | null;
  context_action: ContextActionState | null;
  reading: ReadingEntry[];
  notes: PageNote[];
  /** What was decided and tried, the newest first. */
  decisions: { n: number; phase: string; text: string; author: string }[];
  steps: StepNode[];
  stepsLeftOut: number;
  todo: TodoList | null;
  /** Paths by name, as the user would write them. */
  artifacts: Record<string, string>;
  /** What steps handed on, by step. */
  outputs: Record<string, string>;
  feedback: Feedback[];
  timeline: TimelineEntry[];
  guidance: GuidancePreview;
}

export interface PageNote {
  tone: 'warning' | 'error' | 'info';
  text: string;
}

/** A phase, or a step of a template. */
export interface StepNode {
  /** Counted from 1. */
  n: number;
  title: string;
  /** Null for a phase. */
  step: Step | null;
  /** The context action before the step. */
  contextBefore: ContextAction | null;
  /** The step that a rejected approval leads back to. */
  onReject: string | null;
  /** Of a step that is repeated; null before it begins. */
  iteration: number | null;
  loop: LoopNode | null;
  /** What it handed on: text, and the files that it has left or must leave. */
  output: StepOutput;
  state: StepState;
  /** How long it took or has taken, in milliseconds; null if that is not known. */
  spent: number | null;
  /** Why it was skipped. */
  reason: string | null;
}

export type StepOutput = NonNullable<RunState['outputs']>[string];
export type StepState = PhaseState | 'failed' | 'blocked' | 'waiting';

export interface LoopNode {
  subSteps: { id: string; isCurrent: boolean }[];
  tasks: Task[];
  /** The index of the task in progress; -1 if there is none. */
  current: number;
}

export interface TimelineEntry {
  at: string;
  kind: EventKind;
  title: string;
  /** Reasons, outputs and feedback, as somebody wrote them. */
  text: string;
  session: string | null;
  /** In US dollars. */
  cost: number | null;
}

/** What a session gets that continues the run after a compaction, as `guidance --json` tells it. */
export interface GuidancePreview extends Explanation {
  sections: (Explanation['sections'][number] & { text: string })[];
  /** Null if the run is not restored; `why` then tells why. */
  text: string | null;
  /** The most characters that a guidance may have. */
  budget: number;
}

/** What the page gets in place of data, or when an action is refused. */
export interface Refused {
  error: { code: string; message: string; hint: string };
}

export const ACTIONS = ['approve', 'reject', 'pause', 'release'] as const;
export type Action = (typeof ACTIONS)[number];

/** What the page gets when it asks: the token that carries the action out, once, while the run stands where it does. */
export interface Asked {
  confirm: string;
}

/** What a terminal would say after the action. */
export interface Done {
  done: string[];
}
