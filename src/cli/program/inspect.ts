import type { Command } from 'commander';
import { addCommand, type ProgramContext } from './define.ts';

export function defineInspect({ program, context }: ProgramContext): void {
  addCommand(program, 'list', 'list the runs in this project', ['holdfast list --all'])
    .option('--all', 'include archived runs')
    .action(async (options, command: Command) => {
      const { list } = await import('../commands/list.ts');
      list(context(command), options);
    });

  addCommand(program, 'show <run>', 'print everything that is stored about a run', [
    'holdfast show user-auth',
  ]).action(async (run: string, _options, command: Command) => {
    const { show } = await import('../commands/show.ts');
    show(context(command), run);
  });

  addCommand(program, 'history [run]', 'show what happened to a run, and in which sessions', [
    'holdfast history user-auth',
  ]).action(async (run: string | undefined, _options, command: Command) => {
    const { history } = await import('../commands/history.ts');
    history(context(command), run);
  });
}
