import { canonicalPath } from '../io/canonical-path.ts';
import { holderOf } from '../sessions/holder.ts';
import type { NewEvent } from '../state/journal.ts';
import { isActive } from '../sessions/select-run.ts';
import type { Transaction } from '../state/store/store.ts';
import type { StoredRun } from '../state/types.ts';
import { readTodoFile, writeTodoFile } from '../todo/file.ts';
import { isListWithoutRun, recordListWithoutRun } from '../todo/list-without-run.ts';
import { owns, withTodo } from '../todo/ownership.ts';
import type { OperationContext } from './open-project.ts';
import { callerSession } from './target-run.ts';
import { transact, withActor } from './with-run.ts';

/** The file before an edit. */
export interface CurrentTodo {
  path: string;
  /** Null if the file does not exist. */
  text: string | null;
  runs: readonly StoredRun[];
  /** The run that the edit is attributed to. */
  writer: StoredRun | null;
}

export interface TodoEdit {
  text: string;
  /** `replaced`: the whole content is new and belongs to the writing run. */
  kind: 'replaced' | 'edited';
  event: NewEvent;
}

export interface ChangedTodo {
  path: string;
  text: string;
  isChanged: boolean;
}

/** Changes the file under the store's lock, so that concurrent writers do not lose edits. */
export function changeTodoFile(
  context: OperationContext,
  edit: (current: CurrentTodo) => TodoEdit,
): ChangedTodo {
  const path = todoPath(context);
  const attempt = (runs: readonly StoredRun[]): Attempt => {
    const before = readTodoFile(context.root, path);
    const edited = edit({ path, text: before, runs, writer: writerOf(context, runs) });
    return { ...edited, before };
  };
  // An edit that is refused or changes nothing must create neither a lock nor a folder.
  const preview = attempt(context.store.list().runs);
  if (!needsRecord(preview)) return { path, text: preview.text, isChanged: false };

  let done: Attempt | null = null;
  return transact(context, (tx) => {
    // A transaction that loses its lock runs again, but the file must be changed only once.
    if (done === null) {
      const next = attempt(tx.runs);
      if (next.text !== next.before) writeTodoFile(context.root, path, next);
      done = next;
    }
    if (needsRecord(done)) recordEdit(context, tx, path, done);
    return { path, text: done.text, isChanged: done.text !== done.before };
  });
}

export function todoPath({ root, settings }: OperationContext): string {
  return canonicalPath(root, settings.todo.file);
}

interface Attempt extends TodoEdit {
  before: string | null;
}

function needsRecord({ kind, text, before }: Attempt): boolean {
  return kind === 'replaced' || text !== before;
}

/** Edits are recorded in the writing run; the run that set the list stays its owner, whichever run edits it. */
function recordEdit(
  context: OperationContext,
  tx: Transaction,
  path: string,
  attempt: Attempt,
): void {
  const { before, text, kind, event } = attempt;
  const writer = writerOf(context, tx.runs);
  for (const run of tx.runs) {
    const isOwner = before !== null && owns(run.state, path, before);
    if (run.runId === writer?.runId) {
      const state = withTodo(run.state, path, kind === 'replaced' || isOwner, text);
      tx.write(run, { ...state, adopted: true }, withActor(context, event));
    } else if (kind === 'edited' && isOwner) {
      tx.write(run, withTodo(run.state, path, true, text));
    }
  }
  const isOwnerless = before !== null && isListWithoutRun(context.root, path, before);
  if (kind === 'replaced' ? writer === null : isOwnerless) {
    recordListWithoutRun(context.root, path, text);
  }
}

/** The run that the session holds; without a session, the only active run. */
function writerOf(context: OperationContext, runs: readonly StoredRun[]): StoredRun | null {
  const active = runs.filter(isActive);
  const [first, second] = active;
  const session = callerSession(context, runs);
  if (session === null) return second === undefined ? (first ?? null) : null;
  return active.find(({ state }) => holderOf(state) === session) ?? null;
}
