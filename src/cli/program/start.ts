import type { Command } from 'commander';
import { addCommand, collect, type ProgramContext } from './define.ts';

export function defineStart({ program, context }: ProgramContext): void {
  addCommand(program, 'start [name]', 'start a run of a workflow, with phase 1 in progress', [
    'holdfast start "User Auth" --type implementation --phases "Design,Build,Review" --read docs/spec.md',
    'holdfast start --template feature "log in with a magic link"',
  ])
    .option(
      '--template <template>',
      'the template that drives the run, by name or file; [name] is then a summary of the run',
    )
    .option('--type <type>', 'planning, qa-loop, implementation or custom')
    .option('--phases <names>', 'the names of the phases, separated by commas')
    .option('--read <path>', 'a file that must be read (repeatable)', collect)
    .option('--remind <text>', 'a rule that must survive compaction (repeatable)', collect)
    .option('--set <key=value>', 'a fact about this run (repeatable)', collect)
    .option('--artifact <key=path>', 'a named file of this run (repeatable)', collect)
    .option('--switch', 'release the run that this session holds')
    .action(async (name: string | undefined, options, command: Command) => {
      const { start } = await import('../commands/start.ts');
      start(context(command), name, options);
    });
}
