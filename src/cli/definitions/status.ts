import type { Command } from 'commander';
import { add, type Tools } from './definition.ts';

export function defineStatus({ program, context }: Tools): void {
  add(program, 'status [run]', 'where the run stands, and which required files are unread', [
    'holdfast status',
    'holdfast status user-auth --json',
  ]).action(async (run: string | undefined, _options, command: Command) => {
    const { status } = await import('../commands/status.ts');
    status(context(command), run);
  });
}
