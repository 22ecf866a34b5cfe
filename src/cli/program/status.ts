import { Option, type Command } from 'commander';
import type { StatusCommandOptions } from '../commands/status.ts';
import { addCommand, type ProgramContext } from './define.ts';

export function defineStatus({ program, context }: ProgramContext): void {
  addCommand(
    program,
    'status [run]',
    'show where the run stands, and which required files are unread',
    ['holdfast status', 'holdfast status user-auth --json'],
  )
    .option('--look', 'change nothing: request no context action, do not mark the session as seen')
    .addOption(new Option('--prompted <position>').hideHelp())
    .addOption(new Option('--module <version>').hideHelp())
    .action(async (run: string | undefined, options: StatusCommandOptions, command: Command) => {
      const { status } = await import('../commands/status.ts');
      status(context(command, { isLook: options.look === true }), run, options);
    });
}

export function defineList({ program, context }: ProgramContext): void {
  addCommand(program, 'list', 'list the runs in this project', ['holdfast list --all'])
    .option('--all', 'include archived runs')
    .action(async (options, command: Command) => {
      const { list } = await import('../commands/list.ts');
      list(context(command), options);
    });
}
