import type { Command } from 'commander';
import type { UiOptions } from '../commands/ui.ts';
import { addCommand, type ProgramContext } from './define.ts';

export function defineUi({ program, context }: ProgramContext): void {
  addCommand(
    program,
    'ui',
    'show the runs of this project on a local, read-only page, live, until you press Ctrl-C',
    ['holdfast ui', 'holdfast ui --port 4600 --no-open'],
  )
    .option('--port <n>', 'the port on 127.0.0.1 (default: any free one)')
    .option('--no-open', 'print the address without opening a browser')
    .action(async (options: UiOptions, command: Command) => {
      const { ui } = await import('../commands/ui.ts');
      await ui(context(command, { isLook: true }), options);
    });
}
