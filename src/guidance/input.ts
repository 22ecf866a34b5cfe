import type { DueArtifact } from '../artifacts/types.ts';
import type { StoredRun } from '../state/types.ts';
import type { ReadingEntry } from '../reading/reading-list.ts';
import type { TodoView } from './todo.ts';

/** A file that the host keeps in the context, and the phase that it still says. */
export interface StalePhase {
  path: string;
  says: string;
}

/** What a template says about the run at its present step, in lines. */
export interface StepFrame {
  title: string;
  instructions: string[];
  preserved: string[];
  feedback: string[];
  /** The same two where there is less room, without losing one of the things they tell. */
  shorter: Record<'preserved' | 'feedback', (room: number) => string[]>;
  /** Outputs of steps that Context is to list. */
  outputs: string[];
  /** Whether Context is to list this fact, or this named file, of the run. */
  isListed: (kind: 'context' | 'artifact', key: string) => boolean;
  /** What is not given, and why. */
  leftOut: string[];
}

export interface GuidanceInput {
  title: string;
  run: StoredRun;
  /** Null for a run without a template. */
  step: StepFrame | null;
  reading: ReadingEntry[];
  contentOf: (path: string) => string | undefined;
  /** The critical artifacts that are due now. */
  artifacts: DueArtifact[];
  /** Null where the run has written to no todo list. */
  todo: TodoView | null;
  others: string[];
  /** Sentences about this session and this run, such as that it may be ignored. */
  notes: string[];
  stalePhase: StalePhase | null;
  maxChars: number;
  inlineChars: number;
}
