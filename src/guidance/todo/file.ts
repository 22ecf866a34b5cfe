import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { notText, HoldfastError } from '../../text/holdfast-error.ts';
import { notWritable } from '../../files/fs-errors.ts';
import { LockLost } from '../../files/lock.ts';
import {
  errorCode,
  locate,
  readProjectFile,
  unlessRefused,
  type Refusal,
} from '../../files/read-file.ts';
import { replaceText } from '../../files/atomic-write.ts';
import { makeFolder } from '../../state/store/state-folder.ts';
import { canonicalPath, realPath } from '../../files/environment.ts';
import type { ProjectContext } from '../../sessions/open-project.ts';
import { plainItem } from './edit.ts';
import { boxesIn, MAX_TODO_BYTES, progressOf, type TodoItem } from './list.ts';

export interface TodoList {
  path: string;
  items: TodoItem[];
  done: number;
  total: number;
}

/** A missing file counts as an empty list. */
export function readTodoList(context: Pick<ProjectContext, 'root' | 'settings'>): TodoList {
  const path = todoPath(context);
  return todoListOf(path, readTodoFile(context.root, path) ?? '');
}

export function todoPath({ root, settings }: Pick<ProjectContext, 'root' | 'settings'>): string {
  return canonicalPath(root, settings.todo.file);
}

export function todoListOf(path: string, text: string): TodoList {
  const items = boxesIn(text).map(plainItem);
  const { done, total } = progressOf(items);
  return { path, items, done, total };
}

/** The exact text of the file; null if it does not exist. */
export function readTodoFile(root: string, path: string): string | null {
  const full = join(root, path);
  if (!mayBeTodo(relative(realPath(root), realPath(full))))
    throw new HoldfastError(
      'todo_refused',
      `${path} cannot be the todo list: only a Markdown or text file that no program or agent obeys can`,
      { hint: `${NAME_ANOTHER}; nothing was changed` },
    );
  const file = readProjectFile(root, path, MAX_TODO_BYTES);
  switch (file.kind) {
    case 'refused':
      throw refusedTodo(path, file.why);
    case 'absent':
      if (unlessRefused(() => lstatSync(full))?.isSymbolicLink() !== true) return null;
      throw refusedTodo(path, 'broken link');
    default: {
      const bytes = readFileSync(full);
      const text = bytes.toString('utf8');
      if (!Buffer.from(text).equals(bytes)) throw notText(path);
      return text;
    }
  }
}

const NAME_ANOTHER = 'name another file as "todo.file" in .claude/holdfast.json';

function refusedTodo(path: string, why: Refusal | 'broken link'): HoldfastError {
  return new HoldfastError('todo_refused', `${path} cannot be the todo list: ${why}`, {
    hint: `move it away, or ${NAME_ANOTHER}; nothing was changed`,
  });
}

/** Files that agents or build tools obey, whatever their ending says. */
const OBEYED =
  /^(?:(?:claude|agents|gemini|qwen).*\.md|(?:requirements|constraints).*\.txt|cmakelists\.txt)$/i;

/**
 * The path comes from a file of the project, and an agent may change the list without being asked: it must not write
 * anything that a program runs or a model obeys, nor state files.
 */
function mayBeTodo(path: string): boolean {
  const folders = path.toLowerCase().split(sep);
  const name = folders.pop() ?? '';
  return (
    /[^.].*\.(?:md|txt)$/.test(name) &&
    !OBEYED.test(name) &&
    !folders.some((folder) => /^(?:\.(?!\.$)|node_modules$)/.test(folder)) &&
    !(folders[0] === 'untracked' && folders[1]?.startsWith('workflow-') === true)
  );
}

/**
 * Writes atomically, unless the file has changed since it was read. A symbolic link inside the project is kept:
 * its target is written.
 */
export function writeTodoFile(
  root: string,
  path: string,
  { before, text }: { before: string | null; text: string },
): void {
  if (Buffer.byteLength(text) > MAX_TODO_BYTES) {
    throw refusedTodo(path, 'too large');
  }
  const folder = dirname(path);
  if (folder !== '.') makeFolder(root, folder);
  const full = join(root, path);
  try {
    replaceText(locate(root, full) === 'inside' ? realpathSync(full) : full, text, {
      confirm: () => {
        if (readTodoFile(root, path) !== before) throw new LockLost();
      },
    });
  } catch (error) {
    const reason = errorCode(error);
    // A writer that took over the lock has removed this writer's temporary file.
    if (reason === 'ENOENT') throw new LockLost();
    if (error instanceof HoldfastError || reason === undefined) throw error;
    throw notWritable(path, reason);
  }
}
