import type { Command } from 'commander';
import { addCommand, type ProgramContext } from './define.ts';

export function defineTodo({ program, context }: ProgramContext): void {
  const todo = addCommand(program, 'todo', 'show or change the check list in TODO.md', [
    'holdfast todo',
    'holdfast todo add "write the tests"',
    'holdfast todo done 2',
  ]).action(async (_options, command: Command) => {
    const { showList } = await import('../commands/todo.ts');
    showList(context(command));
  });
  addCommand(todo, 'show', 'show the list with its numbers', ['holdfast todo show --json']).action(
    async (_options, command: Command) => {
      const { showList } = await import('../commands/todo.ts');
      showList(context(command));
    },
  );
  addCommand(todo, 'set <source>', 'replace the whole list with standard input: todo set -', [
    'printf -- "- [ ] design\\n- [ ] build\\n" | holdfast todo set -',
  ])
    .option('--force', 'even if the file has content that an earlier `set` did not write')
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
