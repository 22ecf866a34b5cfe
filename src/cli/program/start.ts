import type { Command } from 'commander';
import { addCommand, collect, type ProgramContext } from './define.ts';

export function defineStarting({ program, context }: ProgramContext): void {
  addCommand(program, 'start [name]', 'begin a run of a workflow: phase 1 is in progress', [
    'holdfast start "User Auth" --type implementation --phases "Design,Build,Review" --read docs/spec.md',
    'holdfast start --template feature "log in with a magic link"',
  ])
    .option(
      '--template <template>',
      'the template that drives it, by name or file; <name> then says what it is about',
    )
    .option('--type <type>', 'planning, qa-loop, implementation or custom')
    .option('--phases <names>', 'the names of the phases, with commas between')
    .option('--read <path>', 'a file that must be read (again for more)', collect)
    .option('--remind <text>', 'a rule that must survive compaction (again for more)', collect)
    .option('--set <key=value>', 'a fact of this run (again for more)', collect)
    .option('--artifact <key=path>', 'a named file of this run (again for more)', collect)
    .option('--switch', 'let go of the run that this session works on')
    .action(async (name: string | undefined, options, command: Command) => {
      const { start } = await import('../commands/start.ts');
      start(context(command), name, options);
    });
}
