import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { notText, HoldfastError } from '../../text/holdfast-error.ts';
import { asWord } from '../../text/sanitize.ts';
import { notWritable } from '../../files/fs-errors.ts';
import { LockLost } from '../../files/lock.ts';
import {
  errorCode,
  locate,
  readProjectFile,
  unlessRefused,
} from '../../files/read-file.ts';
import { replaceText } from '../../files/atomic-write.ts';
import { makeFolder } from '../../state/store/state-folder.ts';
import { canonicalPath, realPath } from '../../files/environment.ts';
import type { Project } from '../../sessions/open-project.ts';
import {
  boxesIn,
  linesOf,
  MAX_TODO_BYTES,
  progressOf,
  type Box,
  type TodoItem,
} from './list.ts';
import { todoNameProblem } from './name.ts';

export type TodoList = {
  path: string;
  items: TodoItem[];
  done: number;
  total: number;
};

/** A missing file counts as an empty list. */
export function readTodoList(
  context: Pick<Project, 'root' | 'settings'>,
): TodoList {
  const path = todoPath(context);
  return todoListOf(path, readTodoFile(context.root, path) ?? '');
}

export const todoPath = ({
  root,
  settings,
}: Pick<Project, 'root' | 'settings'>): string =>
  canonicalPath(root, settings.todo.file);

export function todoListOf(path: string, text: string): TodoList {
  const items = boxesIn(text).map(plainItem);
  const { done, total } = progressOf(items);
  return { path, items, done, total };
}

/** The exact text of the file; null if it does not exist. */
export function readTodoFile(root: string, path: string): string | null {
  requireTodoName(path, path);
  const full = join(root, path);
  const file = readProjectFile(root, path, MAX_TODO_BYTES);
  if (file.kind === 'refused') throw refusedTodo(path, file.why);
  // A link in the path may lead to another file of the project, which is the one that is written.
  requireTodoName(path, relative(realPath(root), realPath(full)));
  if (file.kind === 'absent') {
    if (unlessRefused(() => lstatSync(full))?.isSymbolicLink() !== true)
      return null;
    throw refusedTodo(path, 'broken link');
  }
  const bytes = readFileSync(full);
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) throw notText(path);
  return text;
}

/** `target` is the path itself, or the file of the project that it leads to. */
function requireTodoName(path: string, target: string): void {
  const problem = todoNameProblem(target);
  if (problem === null) return;
  const why =
    target === path ? problem : `it leads to ${asWord(target)}, and ${problem}`;
  throw refusedTodo(path, why, NAME_A_LIST);
}

export const NAME_A_LIST =
  'set "todo.file" in .claude/holdfast.json to a name such as "TODO.md" or "docs/tasks.md", and move the list there';

const MOVE_AWAY =
  'move it away, or name another file as "todo.file" in .claude/holdfast.json';

const refusedTodo = (
  path: string,
  why: string,
  hint: string = MOVE_AWAY,
): HoldfastError =>
  new HoldfastError(
    'todo_refused',
    `${asWord(path)} cannot be the todo list: ${why}`,
    {
      hint: `${hint}; nothing was changed`,
    },
  );

/** Unless the file has changed since it was read. Of a link inside the project, the target is written. */
export function writeTodoFile(
  root: string,
  path: string,
  { before, text }: { before: string | null; text: string },
): void {
  if (Buffer.byteLength(text) > MAX_TODO_BYTES)
    throw refusedTodo(path, 'too large');
  const folder = dirname(path);
  if (folder !== '.') makeFolder(root, folder);
  const full = join(root, path);
  try {
    replaceText(
      locate(root, full) === 'inside' ? realpathSync(full) : full,
      text,
      {
        confirm: () => {
          if (readTodoFile(root, path) !== before) throw new LockLost();
        },
      },
    );
  } catch (error) {
    const reason = errorCode(error);
    // A writer that took over the lock has removed this writer's temporary file.
    if (reason === 'ENOENT') throw new LockLost();
    if (error instanceof HoldfastError || reason === undefined) throw error;
    throw notWritable(path, reason);
  }
}

/** The text of an item on one line; null if it would not be recognized as a check box item. */
export function itemText(input: string): string | null {
  const text = wellFormed(input)
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  return boxesIn(`- [ ] ${text}`).length === 1 ? text : null;
}

/** Lone surrogates cannot be written as UTF-8, so they are replaced as the encoder would do. */
export const wellFormed = (text: string): string =>
  text.replace(/\p{Surrogate}/gu, '\uFFFD');

export const withTick = (text: string, { at }: Box): string =>
  `${text.slice(0, at)}x${text.slice(at + 1)}`;

/** The text with one more item at the end; null if no position there would make it an item. */
export function withItem(text: string, item: string): string | null {
  const before = boxesIn(text);
  const added = boxesIn(`- [ ] ${item}`).map((box) => ({
    ...box,
    n: before.length + 1,
  }));
  const expected = JSON.stringify([...before, ...added].map(plainItem));
  const candidates = [
    ...afterLastItem(text, before, item),
    atEndOfText(text, item),
  ];
  const isRight = (candidate: string): boolean =>
    JSON.stringify(boxesIn(candidate).map(plainItem)) === expected;
  return candidates.find(isRight) ?? null;
}

export const plainItem = ({ n, text, done }: TodoItem): TodoItem => ({
  n,
  text,
  done,
});

/** In the style of the last of the outermost items, below what is indented under the last item. */
function afterLastItem(
  text: string,
  boxes: readonly Box[],
  item: string,
): string[] {
  const last = boxes.at(-1);
  if (last === undefined) return [];
  const lines = linesOf(text);
  const indentOf = ({ line }: Box): number =>
    leadOf(lines[line]).search(/[^ \t]/);
  let model = last;
  for (const box of boxes.toReversed())
    if (indentOf(box) < indentOf(model)) model = box;
  const added = `${nextLead(leadOf(lines[model.line]))}[ ] ${item}`;

  const end = lastLineOfItem(lines, last.line);
  const ending = lines[end] ?? '';
  const lineEnd =
    lineEndOf(lines[last.line] ?? '') || lineEndOf(lines[0] ?? '') || '\n';
  // The last line of a text may have no line end.
  lines[end] =
    lineEndOf(ending) === ''
      ? ending + lineEnd + added
      : ending + added + lineEnd;
  return [lines.join('')];
}

/** What stands before the box of an item: `  3. ` of `  3. [ ] Write docs`. */
function leadOf(line = ''): string {
  return /^\uFEFF?([^[]*)/.exec(line)?.[1] ?? '';
}

/** A numbered list goes on with the next number. */
function nextLead(lead: string): string {
  return lead.replace(/\d+/, (number) => `${Number(number) + 1}`);
}

/** The index of the last line of the item that begins at this line, with what is indented below it. */
function lastLineOfItem(lines: readonly string[], start: number): number {
  const below = lines.slice(start + 1);
  const next = below.findIndex((line) => /^\S/.test(line));
  const own = next < 0 ? below : below.slice(0, next);
  return start + 1 + own.findLastIndex((line) => line.trim() !== '');
}

function atEndOfText(text: string, item: string): string {
  const line = `- [ ] ${item}`;
  if (text.replace(/^\uFEFF/, '') === '') return `${text}${line}\n`;
  const lines = linesOf(text);
  const last = lines.at(-1) ?? '';
  const lineEnd = lineEndOf(lines[0] ?? '') || '\n';
  const closing = lineEndOf(last) === '' ? lineEnd : '';
  const gap = last.trim() === '' ? '' : lineEnd;
  return `${text}${closing}${gap}${line}${lineEnd}`;
}

const lineEndOf = (line: string): string =>
  /(?:\r\n|\r|\n|)$/.exec(line)?.[0] ?? '';
