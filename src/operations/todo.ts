import type { Expected } from '../errors/expected.ts';
import { HoldfastError } from '../errors/holdfast-error.ts';
import type { GivenValue } from '../errors/runs.ts';
import { isActive } from '../sessions/select-run.ts';
import type { StoredRun } from '../state/types.ts';
import { itemText, plainItem, wellFormed, withItem, withTick } from '../todo/edit.ts';
import { readTodoFile } from '../todo/file.ts';
import { boxesIn, progressOf, type TodoItem } from '../todo/list.ts';
import { owns } from '../todo/ownership.ts';
import { changeTodoFile, todoPath, type Present } from './edit-todo-file.ts';
import type { OperationContext } from './context.ts';

export interface TodoList {
  path: string;
  items: TodoItem[];
  done: number;
  total: number;
}

export interface TodoChange {
  list: TodoList;
  item: TodoItem;
  /** False where the item was so already. */
  isChanged: boolean;
}

/** A file that is not there has no items. */
export function showTodo(desk: OperationContext): TodoList {
  const path = todoPath(desk);
  return listOf(path, readTodoFile(desk.root, path) ?? '');
}

/** Replaces the whole content; where that would lose what others wrote, only with `force`. */
export function setTodo(
  desk: OperationContext,
  content: string,
  { force }: { force: boolean },
): TodoList {
  const wanted = contentFrom(content);
  const { path, text } = changeTodoFile(desk, (present) => {
    if (!force && present.text !== wanted && !mayBeReplaced(desk, present)) {
      throw new HoldfastError({ code: 'todo_not_ours', path: present.path });
    }
    return { text: wanted, kind: 'replaced', event: { event: 'todo set' } };
  });
  return listOf(path, text);
}

export function addTodo(desk: OperationContext, given: string): TodoChange {
  const wanted = itemText(given);
  if (wanted === null) throw badValue('todo add', given, { kind: 'filled_text' });
  const { path, text } = changeTodoFile(desk, (present) => {
    const after = withItem(present.text ?? '', wanted);
    if (after === null) throw new HoldfastError({ code: 'todo_no_place', path: present.path });
    return { text: after, kind: 'edited', event: { event: 'todo added', item: wanted } };
  });
  const list = listOf(path, text);
  return { list, item: itemOf(list, list.total), isChanged: true };
}

export function finishTodo(desk: OperationContext, n: number): TodoChange {
  const { path, text, isChanged } = changeTodoFile(desk, (present) => {
    const before = present.text ?? '';
    const box = boxesIn(before).find((candidate) => candidate.n === n);
    if (box === undefined) throw noSuchItem(listOf(present.path, before), n);
    const after = box.done ? before : withTick(before, box);
    return { text: after, kind: 'edited', event: { event: 'todo done', item: box.text } };
  });
  const list = listOf(path, text);
  return { list, item: itemOf(list, n), isChanged };
}

function contentFrom(given: string): string {
  const text = wellFormed(given.endsWith('\n') ? given : `${given}\n`);
  const expected: Expected = { kind: 'todo_text' };
  if (text.trim() === '') throw badValue('todo set', '', expected);
  if (text.includes('\0')) throw badValue('todo set', { binary: true }, expected);
  return text;
}

/** New, or from `set`: by this run, or by one that is no longer active. */
function mayBeReplaced(desk: OperationContext, { path, text, runs, writer }: Present): boolean {
  if (text === null || text.trim() === '') return true;
  const isOwner = ({ state }: StoredRun): boolean => owns(state, path, text);
  const owners = runs.filter(isOwner);
  return owners.length === 0
    ? desk.store.archive().runs.some(isOwner)
    : owners.every((run) => run.runId === writer?.runId || !isActive(run));
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
