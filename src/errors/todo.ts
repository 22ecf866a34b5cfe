import type { Messages } from './messages.ts';
import type { Refusal } from './refusal.ts';

export interface TodoFailures {
  todo_refused: { path: string; why: Refusal | 'broken link' | 'reserved' };
  /** `owner`: the active run that set the list. */
  todo_not_ours: { path: string; owner: string | null };
  todo_no_place: { path: string };
  no_such_item: { path: string; n: number; total: number };
}

export const todoMessages: Messages<TodoFailures> = {
  todo_refused: (failure) => ({
    message: `${failure.path} cannot be the todo list: ${failure.why === 'reserved' ? 'git, Claude Code or holdfast reads it' : failure.why}`,
    hint: `${failure.why === 'reserved' ? '' : 'move it away, or '}name another file as "todo.file" in .claude/holdfast.json; nothing was changed`,
  }),
  todo_not_ours: (failure) => ({
    message:
      failure.owner === null
        ? `${failure.path} has content that is not from \`holdfast todo set\``
        : `${failure.path} is the list of the run ${failure.owner}`,
    hint: 'change it with `holdfast todo add` and `holdfast todo done`, or replace all of it with --force',
  }),
  todo_no_place: (failure) => ({
    message: `${failure.path} ends inside a code block or a comment, where a check box does not count`,
    hint: 'close it in the file, then try again; nothing was changed',
  }),
  no_such_item: (failure) => ({
    message: `there is no item ${failure.n}: ${failure.path} has ${failure.total}`,
    hint:
      failure.total === 0
        ? 'add the first one with `holdfast todo add <text>`'
        : '`holdfast todo` lists them with their numbers',
  }),
};
