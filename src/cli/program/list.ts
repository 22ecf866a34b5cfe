import type { Command } from 'commander';
import { addCommand, type ProgramContext } from './define.ts';

export function defineList({ program, context }: ProgramContext): void {
  addCommand(program, 'list', 'list the runs in this project', ['holdfast list --all'])
    .option('--all', 'include archived runs')
    .action(async (options, command: Command) => {
      const { list } = await import('../commands/list.ts');
      list(context(command), options);
    });
}
