import type { DueArtifact } from './artifacts/types.ts';
import type { StoredRun } from '../state/types.ts';
import type { ReadingEntry } from './reading/reading-list.ts';
import type { TodoProgress } from './todo/list.ts';
import { sanitizeLine, truncate } from '../text/sanitize.ts';

/** A file that the host keeps in the context, and the outdated phase in it. */
export interface StalePhase {
  path: string;
  says: string;
  /** What moves the run there, if the number is known. */
  command?: string;
}

/** What a template says about the current step, in lines. */
export interface StepFrame {
  title: string;
  instructions: string[];
  preserved: string[];
  feedback: string[];
  /** Shorter forms of the two lists, in which every entry is still present. */
  shorter: Record<'preserved' | 'feedback', (space: number) => string[]>;
  /** Outputs of steps, for the Context section. */
  outputs: string[];
  /** Whether the Context section lists this entry of `context` or `artifacts`. */
  isListed: (kind: 'context' | 'artifact', key: string) => boolean;
  /** The identities of what is preserved. */
  given: ReadonlySet<string>;
  /** What should be preserved and does not exist. */
  unknown: readonly string[];
}

export interface GuidanceInput {
  title: string;
  run: StoredRun;
  /** The run's id where commands without it would be ambiguous; else null. */
  nameInCommands: string | null;
  /** A stored path without placeholders, relative to the project root if it is inside. */
  resolvePath: (path: string) => string;
  /** A file of an earlier phase, marked if it does not exist. */
  showFile: (path: string) => string;
  /** Null for a run without a template. */
  step: StepFrame | null;
  reading: ReadingEntry[];
  contentOf: (path: string) => string | undefined;
  /** The critical artifacts that are due now. */
  artifacts: DueArtifact[];
  /** Null if the run has not written to the todo list. */
  todo: TodoView | null;
  others: string[];
  /** Further sentences for ACTION REQUIRED, such as how to release the run. */
  notes: string[];
  stalePhase: StalePhase | null;
  maxChars: number;
  inlineChars: number;
}

export interface TodoView extends TodoProgress {
  /** From the project root. */
  path: string;
}

const MAX_ITEM = 200;

/** Only the progress and the current item, because a command shows the list. */
export function todoLines(todo: TodoView | null): string[] {
  if (todo === null || todo.total === 0) return [];
  const { done, total, current } = todo;
  const file = truncate(sanitizeLine(todo.path), MAX_ITEM);
  if (current === null)
    return [`In ${file}: ${total === 1 ? 'the only item is' : `all ${total}`} done.`];
  return [
    `In ${file}: ${done} of ${total} done (\`holdfast todo\` shows the list); now ${current.n}: ${truncate(sanitizeLine(current.text), MAX_ITEM)}`,
  ];
}
