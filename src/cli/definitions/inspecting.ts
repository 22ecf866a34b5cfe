import type { Command } from 'commander';
import { add, type Tools } from './definition.ts';

export function defineInspecting({ program, context }: Tools): void {
  add(program, 'list', 'the runs in this project', ['holdfast list --all'])
    .option('--all', 'archived runs too')
    .action(async (options, command: Command) => {
      const { list } = await import('../commands/list.ts');
      list(context(command), options);
    });

  add(program, 'show <run>', 'everything that is stored of a run', [
    'holdfast show user-auth',
  ]).action(async (run: string, _options, command: Command) => {
    const { show } = await import('../commands/show.ts');
    show(context(command), run);
  });

  add(program, 'history [run]', 'what happened to a run, and in which sessions', [
    'holdfast history user-auth',
  ]).action(async (run: string | undefined, _options, command: Command) => {
    const { history } = await import('../commands/history.ts');
    history(context(command), run);
  });
}
