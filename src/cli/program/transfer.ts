import { Option, type Command } from 'commander';
import { addCommand, type ProgramContext } from './define.ts';

export function defineCarrying({ program, context }: ProgramContext): void {
  addCommand(program, 'prime', 'load the critical artifacts of the run now, and print them', [
    'holdfast prime',
    'holdfast prime --artifacts spec,plan --force',
    'holdfast prime --dry-run',
  ])
    .option('--run-id <run>', 'the run that is meant')
    .option('--artifacts <ids>', 'only these, with commas between')
    .option('--force', 'also what was loaded a moment ago')
    .option('--dry-run', 'show what would be loaded and why, and write nothing')
    .option('--max-chars <n>', 'how much is printed at most (default: 25000)')
    .action(async (options, command: Command) => {
      const { prime } = await import('../commands/prime.ts');
      prime(context(command), options);
    });

  addCommand(program, 'export <run>', 'one run as one file, on standard output', [
    'holdfast export user-auth > user-auth.json',
  ]).action(async (run: string, _options, command: Command) => {
    const { printExport } = await import('../commands/export.ts');
    printExport(context(command), run);
  });

  addCommand(
    program,
    'import <file>',
    'take in a run that was exported elsewhere; - reads standard input',
    ['holdfast import user-auth.json'],
  ).action(async (file: string, _options, command: Command) => {
    const { importFile } = await import('../commands/import.ts');
    importFile(context(command), file);
  });

  addCommand(
    program,
    'guidance [run]',
    'exactly what a session would be given about the workflow; nothing is written',
    ['holdfast guidance', 'holdfast guidance user-auth --source clear --explain'],
  )
    .addOption(
      new Option('--source <source>', 'as if a session began this way')
        .choices(['compact', 'clear', 'resume', 'startup', 'fork'])
        .default('compact'),
    )
    .option('--explain', 'why this run, what each section costs, what was left out')
    .action(async (run: string | undefined, options, command: Command) => {
      const { guidance } = await import('../commands/guidance.ts');
      guidance(context(command), run, options);
    });
}
