import type { Expected } from '../errors/expected.ts';
import { HoldfastError } from '../errors/holdfast-error.ts';
import type { GivenValue } from '../errors/inputs.ts';
import { isActive } from '../sessions/select-run.ts';
import type { StoredRun } from '../state/types.ts';
import { itemText, plainItem, wellFormed, withItem, withTick } from '../todo/edit.ts';
import { readTodoFile } from '../todo/file.ts';
import { boxesIn, progressOf, type TodoItem } from '../todo/list.ts';
import { isListWithoutRun } from '../todo/list-without-run.ts';
import { owns } from '../todo/ownership.ts';
import { changeTodoFile, todoPath, type CurrentTodo } from './edit-todo-file.ts';
import type { OperationContext } from './open-project.ts';

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
    if (!force && current.text !== wanted) requireReplaceable(context, current);
    return { text: wanted, kind: 'replaced', event: { event: 'todo set' } };
  });
  return listOf(path, text);
}

export function addTodo(context: OperationContext, given: string): TodoChange {
  const item = itemText(given);
  if (item === null) throw badValue('todo add', given, { kind: 'filled_text' });
  const { path, text } = changeTodoFile(context, (current) => {
    const after = withItem(current.text ?? '', item);
    if (after === null) throw new HoldfastError({ code: 'todo_no_place', path: current.path });
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
  const expected: Expected = { kind: 'todo_text' };
  if (text.trim() === '') throw badValue('the new list', '', expected);
  if (text.includes('\0')) throw badValue('todo set', { binary: true }, expected);
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
    owners.length > 0 || isListWithoutRun(root, path, text) || store.archive().runs.some(isOwner);
  if (other !== undefined || !isFromSet()) {
    throw new HoldfastError({ code: 'todo_not_ours', path, owner: other?.runId ?? null });
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
  return new HoldfastError({ code: 'no_such_item', path, n, total });
}

function badValue(option: string, given: GivenValue, expected: Expected): HoldfastError {
  return new HoldfastError({ code: 'bad_value', option, given, expected });
}
