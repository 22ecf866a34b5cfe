import type { Messages } from './messages.ts';
import type { Refusal } from './refusal.ts';

export interface TodoFailures {
  todo_refused: { path: string; why: Refusal | 'broken link' | 'reserved' };
}

export const todoMessages: Messages<TodoFailures> = {
  todo_refused: (failure) => ({
    message: `${failure.path} cannot be the todo list: ${failure.why === 'reserved' ? 'git, Claude Code or holdfast reads it' : failure.why}`,
    hint: `${failure.why === 'reserved' ? '' : 'move it away, or '}name another file as "todo.file" in .claude/holdfast.json; nothing was changed`,
  }),
};
