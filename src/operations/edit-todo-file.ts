import { canonicalPath } from '../io/canonical-path.ts';
import { resolveSession, holderOf } from '../sessions/holder.ts';
import type { JournalEvent } from '../state/journal.ts';
import { isActive } from '../sessions/select-run.ts';
import type { Transaction } from '../state/store/store.ts';
import type { StoredRun } from '../state/types.ts';
import { readTodoFile, writeTodoFile } from '../todo/file.ts';
import { owns, withTodo } from '../todo/ownership.ts';
import type { OperationContext } from './context.ts';
import { reportSetAside, withActor } from './with-run.ts';

/** The file as an edit finds it. */
export interface Present {
  path: string;
  /** Null where there is no file. */
  text: string | null;
  runs: readonly StoredRun[];
  /** The run that adopts what is written. */
  writer: StoredRun | null;
}

export interface Edited {
  text: string;
  /** `replaced`: all of it is new, and the run's own. */
  kind: 'replaced' | 'edited';
  event: JournalEvent;
}

export interface Changed {
  path: string;
  text: string;
  isChanged: boolean;
}

/** Changes the file under the lock of the store, so that two writers keep both edits. */
export function changeTodoFile(
  desk: OperationContext,
  edit: (present: Present) => Edited,
): Changed {
  const path = todoPath(desk);
  const attempt = (runs: readonly StoredRun[]): Attempt => {
    const before = readTodoFile(desk.root, path);
    const edited = edit({ path, text: before, runs, writer: writerOf(desk, runs) });
    return { ...edited, before };
  };
  // What is refused, or is so already, makes nothing: neither a lock nor a folder.
  const asked = attempt(desk.store.list().runs);
  if (!isWorthNoting(asked)) return { path, text: asked.text, isChanged: false };

  let made: Attempt | null = null;
  return desk.store.transaction((tx) => {
    reportSetAside(desk, tx);
    // A transaction that lost its lock starts again; the file is changed once all the same.
    if (made === null) {
      const next = attempt(tx.runs);
      if (next.text !== next.before) writeTodoFile(desk.root, path, next);
      made = next;
    }
    if (isWorthNoting(made)) noteInRuns(desk, tx, path, made);
    return { path, text: made.text, isChanged: made.text !== made.before };
  });
}

export function todoPath({ root, settings }: OperationContext): string {
  return canonicalPath(root, settings.todo.file);
}

interface Attempt extends Edited {
  before: string | null;
}

function isWorthNoting({ kind, text, before }: Attempt): boolean {
  return kind === 'replaced' || text !== before;
}

/** The run that wrote adopts the file; the one that set it stays its owner, whoever adds and ticks. */
function noteInRuns(desk: OperationContext, tx: Transaction, path: string, made: Attempt): void {
  const { before, text, kind, event } = made;
  const writer = writerOf(desk, tx.runs);
  for (const run of tx.runs) {
    const isOwner = before !== null && owns(run.state, path, before);
    if (run.runId === writer?.runId) {
      const state = withTodo(run.state, path, kind === 'replaced' || isOwner, text);
      tx.write(run, { ...state, adopted: true }, withActor(desk, event));
    } else if (kind === 'edited' && isOwner) {
      tx.write(run, withTodo(run.state, path, true, text));
    }
  }
}

/** The run that the session holds; in a person's terminal the only active one. */
function writerOf(desk: OperationContext, runs: readonly StoredRun[]): StoredRun | null {
  const active = runs.filter(isActive);
  const [first, second] = active;
  if (desk.session === null) return second === undefined ? (first ?? null) : null;
  const session = resolveSession(desk.session, runs);
  return active.find(({ state }) => holderOf(state) === session) ?? null;
}
