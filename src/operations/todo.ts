import { badValue, HoldfastError } from '../text/holdfast-error.ts';
import { canonicalPath } from '../files/environment.ts';
import { holderOf } from '../sessions/holder.ts';
import { isActive } from '../sessions/select-run.ts';
import type { NewEvent } from '../state/journal.ts';
import type { Transaction } from '../state/store/store.ts';
import type { StoredRun, RunState } from '../state/types.ts';
import { itemText, plainItem, wellFormed, withItem, withTick } from '../guidance/todo/edit.ts';
import { readTodoFile, writeTodoFile } from '../guidance/todo/file.ts';
import { boxesIn, progressOf, type TodoItem } from '../guidance/todo/list.ts';
import { isRunByAgent, type OperationContext } from './open-project.ts';
import { callerSession } from './target-run.ts';
import { transact, withActor } from './with-run.ts';
import { listArchive } from '../state/store/list-runs.ts';
import { join } from 'node:path';
import { digestOf } from '../text/digest.ts';
import { readTextFile } from '../files/read-file.ts';
import { replaceText } from '../files/replace-text.ts';
import { TODO_RECORD_FILE } from '../state/paths.ts';
import { isObject, parseJson } from '../text/json.ts';

export interface TodoList {
  path: string;
  items: TodoItem[];
  done: number;
  total: number;
}

export interface TodoChange {
  list: TodoList;
  item: TodoItem;
  /** False if the item was already in that state. */
  isChanged: boolean;
}

/** A missing file counts as an empty list. */
export function showTodo(context: OperationContext): TodoList {
  const path = todoPath(context);
  return listOf(path, readTodoFile(context.root, path) ?? '');
}

/** Replaces the whole content. Needs `force` if that would lose text that another writer added. */
export function setTodo(
  context: OperationContext,
  content: string,
  { force }: { force: boolean },
): TodoList {
  const wanted = contentFrom(content);
  const { path, text } = changeTodoFile(context, (current) => {
    // An agent may have been told to use --force by what the repository says.
    const isList = current.text === null || boxesIn(current.text).length > 0;
    const mayForce = force && (isList || !isRunByAgent(context));
    if (!mayForce && current.text !== wanted) requireReplaceable(context, current);
    return { text: wanted, kind: 'replaced', event: { event: 'todo set' } };
  });
  return listOf(path, text);
}

export function addTodo(context: OperationContext, given: string): TodoChange {
  const item = itemText(given);
  if (item === null) throw badValue('todo add', given, 'text that is not blank');
  const { path, text } = changeTodoFile(context, (current) => {
    const after = withItem(current.text ?? '', item);
    if (after === null)
      throw new HoldfastError(
        'todo_no_place',
        `${current.path} ends inside a code block or a comment, where a check box does not count`,
        { hint: 'close it in the file, then try again; nothing was changed' },
      );
    return { text: after, kind: 'edited', event: { event: 'todo added', item } };
  });
  const list = listOf(path, text);
  return { list, item: itemOf(list, list.total), isChanged: true };
}

export function finishTodo(context: OperationContext, n: number): TodoChange {
  const { path, text, isChanged } = changeTodoFile(context, (current) => {
    const before = current.text ?? '';
    const box = boxesIn(before).find((candidate) => candidate.n === n);
    if (box === undefined) throw noSuchItem(listOf(current.path, before), n);
    const after = box.done ? before : withTick(before, box);
    return { text: after, kind: 'edited', event: { event: 'todo done', item: box.text } };
  });
  const list = listOf(path, text);
  return { list, item: itemOf(list, n), isChanged };
}

function contentFrom(given: string): string {
  const text = wellFormed(given.endsWith('\n') ? given : `${given}\n`);
  const expected = 'the text of the list, such as "- [ ] write the tests"';
  if (text.trim() === '') throw badValue('the new list', '', expected);
  if (text.includes('\0'))
    throw new HoldfastError('bad_value', 'invalid value of binary data for todo set', {
      hint: `expected ${expected}`,
    });
  return text;
}

/** Nothing is lost of a new list, or of one that was set by this run, by one that is no longer active, or without one. */
function requireReplaceable(
  { store, root }: OperationContext,
  { path, text, runs, writer }: CurrentTodo,
): void {
  if (text === null || text.trim() === '') return;
  const isOwner = ({ state }: StoredRun): boolean => owns(state, path, text);
  const owners = runs.filter(isOwner);
  const other = owners.find((run) => run.runId !== writer?.runId && isActive(run));
  const isFromSet = (): boolean =>
    owners.length > 0 ||
    isListWithoutRun(root, path, text) ||
    listArchive(store.root).runs.some(isOwner);
  if (other !== undefined || !isFromSet()) {
    throw new HoldfastError(
      'todo_not_ours',
      other === undefined
        ? `${path} has content that is not from \`holdfast todo set\``
        : `${path} is the list of the run ${other.runId}`,
      {
        hint: 'change it with `holdfast todo add` and `holdfast todo done`, or replace all of it with --force (where it has no check boxes: only a person, in a terminal)',
      },
    );
  }
}

function listOf(path: string, text: string): TodoList {
  const items = boxesIn(text).map(plainItem);
  const { done, total } = progressOf(items);
  return { path, items, done, total };
}

function itemOf(list: TodoList, n: number): TodoItem {
  const item = list.items[n - 1];
  if (item === undefined) throw noSuchItem(list, n);
  return item;
}

function noSuchItem({ path, total }: TodoList, n: number): HoldfastError {
  return new HoldfastError('no_such_item', `there is no item ${n}: ${path} has ${total}`, {
    hint:
      total === 0
        ? 'add the first one with `holdfast todo add <text>`'
        : '`holdfast todo` lists them with their numbers',
  });
}

/** The file before an edit. */
interface CurrentTodo {
  path: string;
  /** Null if the file does not exist. */
  text: string | null;
  runs: readonly StoredRun[];
  /** The run that the edit is attributed to. */
  writer: StoredRun | null;
}

interface TodoEdit {
  text: string;
  /** `replaced`: the whole content is new and belongs to the writing run. */
  kind: 'replaced' | 'edited';
  event: NewEvent;
}

interface ChangedTodo {
  path: string;
  text: string;
  isChanged: boolean;
}

/** Changes the file under the store's lock, so that concurrent writers do not lose edits. */
function changeTodoFile(
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

function todoPath({ root, settings }: OperationContext): string {
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

/** Whether the run wrote this list with `set`, and only holdfast has changed it since. */
function owns({ todo }: RunState, path: string, text: string): boolean {
  return todo?.['path'] === path && todo['owned'] === true && todo['digest'] === digestOf(text);
}

function withTodo(state: RunState, path: string, owned: boolean, text: string): RunState {
  const previous = isObject(state.todo) ? state.todo : {};
  return { ...state, todo: { ...previous, path, owned, digest: digestOf(text) } };
}

const MAX_BYTES = 10_000;

/** Whether `set` wrote this list where no run could record it, and only holdfast has changed it since. */
function isListWithoutRun(root: string, path: string, text: string): boolean {
  const file = readTextFile(join(root, TODO_RECORD_FILE), MAX_BYTES, 'refused');
  const record = file.kind === 'text' ? parseJson(file.text) : undefined;
  return isObject(record) && record['path'] === path && record['digest'] === digestOf(text);
}

/** Only the last list counts. To be called under the store's lock. */
function recordListWithoutRun(root: string, path: string, text: string): void {
  const record = { path, digest: digestOf(text) };
  replaceText(join(root, TODO_RECORD_FILE), `${JSON.stringify(record)}\n`);
}
