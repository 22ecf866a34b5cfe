import type { Command } from 'commander';
import { addCommand, type ProgramContext } from './define.ts';

export function defineStatus({ program, context }: ProgramContext): void {
  addCommand(
    program,
    'status [run]',
    'show where the run stands, and which required files are unread',
    ['holdfast status', 'holdfast status user-auth --json'],
  ).action(async (run: string | undefined, _options, command: Command) => {
    const { status } = await import('../commands/status.ts');
    status(context(command), run);
  });
}
