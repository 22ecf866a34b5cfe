import type { Command } from 'commander';
import { add, type Tools } from './definition.ts';
import { makeContext, type GlobalOptions } from '../context.ts';
import { makeOutput } from '../output.ts';

export function defineChecking({ program }: Tools): void {
  add(
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
      doctor(makeContext(shared, makeOutput(shared.json === true)), options);
    });
}
