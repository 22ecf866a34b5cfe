import type { Command } from 'commander';
import { addCommand, type ProgramContext } from './define.ts';
import { createContext, type GlobalOptions } from '../context.ts';
import { makeOutput } from '../output/output.ts';

export function defineCheck({ program }: ProgramContext): void {
  addCommand(
    program,
    'doctor',
    'check that holdfast works here; every finding has a fix; writes nothing without --fix',
    ['holdfast doctor', 'holdfast doctor --fix'],
  )
    .option(
      '--fix',
      'repair what is safe to repair: stale locks, leftover files, a missing .gitignore',
    )
    .action(async (options: { fix?: boolean }, command: Command) => {
      const { doctor } = await import('../commands/doctor.ts');
      const shared = command.optsWithGlobals<GlobalOptions>();
      // `context` would record the session as seen, but this command must not write.
      doctor(createContext(shared, makeOutput(shared.json === true)), options);
    });
}
