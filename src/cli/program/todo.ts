import type { Command } from 'commander';
import { addCommand, type ProgramContext } from './define.ts';

export function defineTodo({ program, context }: ProgramContext): void {
  const todo = addCommand(
    program,
    'todo',
    'the list of check boxes in TODO.md: shows it, and has commands to change it',
    ['holdfast todo', 'holdfast todo add "write the tests"', 'holdfast todo done 2'],
  ).action(async (_options, command: Command) => {
    const { showList } = await import('../commands/todo.ts');
    showList(context(command));
  });
  addCommand(todo, 'show', 'the list with its numbers', ['holdfast todo show --json']).action(
    async (_options, command: Command) => {
      const { showList } = await import('../commands/todo.ts');
      showList(context(command));
    },
  );
  addCommand(
    todo,
    'set <source>',
    'replace the whole list by what standard input has: todo set -',
    ['printf -- "- [ ] design\\n- [ ] build\\n" | holdfast todo set -'],
  )
    .option('--force', 'even if it has content that is not from an earlier `set`')
    .action(async (source: string, options, command: Command) => {
      const { setList } = await import('../commands/todo.ts');
      setList(context(command), source, options);
    });
  addCommand(todo, 'add <text...>', 'append an item', [
    'holdfast todo add "write the tests"',
  ]).action(async (words: string[], _options, command: Command) => {
    const { addItem } = await import('../commands/todo.ts');
    addItem(context(command), words);
  });
  addCommand(todo, 'done <n>', 'tick an item', ['holdfast todo done 2']).action(
    async (n: string, _options, command: Command) => {
      const { finishItem } = await import('../commands/todo.ts');
      finishItem(context(command), n);
    },
  );
}
