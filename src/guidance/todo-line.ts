import type { TodoProgress } from './todo/list.ts';
import { sanitizeLine, truncate } from '../text/sanitize.ts';

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
