import type { Command } from 'commander';
import { addCommand, type ProgramContext } from './define.ts';
import { createContext, type GlobalOptions } from '../context.ts';
import { makeOutput } from '../output/output.ts';

export function defineChecking({ program }: ProgramContext): void {
  addCommand(
    program,
    'doctor',
    'check with evidence that holdfast works here; every finding has its fix; nothing is written without --fix',
    ['holdfast doctor', 'holdfast doctor --fix'],
  )
    .option('--fix', 'mend what is safe to mend: stale locks, left-overs, a missing .gitignore')
    .action(async (options: { fix?: boolean }, command: Command) => {
      const { doctor } = await import('../commands/doctor.ts');
      const shared = command.optsWithGlobals<GlobalOptions>();
      // Not by `context`: that would note the session as seen, and this command only looks.
      doctor(createContext(shared, makeOutput(shared.json === true)), options);
    });
}
