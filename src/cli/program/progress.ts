import type { Command } from 'commander';
import { addCommand, collect, type ProgramContext } from './define.ts';

export function defineProgress({ program, context }: ProgramContext): void {
  addCommand(
    program,
    'advance [run]',
    'finish the current phase or step and go to the next; after the last one the run completes',
    [
      'holdfast advance --output "the API is in src/api.ts"',
      'git log -1 | holdfast advance --output -',
    ],
  )
    .option('--output <text>', 'what later phases need to know; - reads standard input')
    .option('--artefact <path>', 'a file that this phase produced (repeatable)', collect)
    .option('--name <name>', 'the name of the next phase')
    .option('--force', 'even if a required artifact is missing')
    .action(async (run: string | undefined, options, command: Command) => {
      const { advance } = await import('../commands/advance.ts');
      await advance(context(command), run, options);
    });

  addCommand(program, 'tasks <loop>', 'set the tasks of a loop: JSON, or one per line', [
    'holdfast tasks build --file tasks.json',
    'grep "^- " docs/plan.md | holdfast tasks build',
  ])
    .option('--run <run>', 'the run to change')
    .option('--file <file>', 'the file with the tasks (default: standard input)')
    .action(async (loop: string, options, command: Command) => {
      const { tasks } = await import('../commands/tasks.ts');
      tasks(context(command), loop, options);
    });

  addCommand(
    program,
    'context [run]',
    'show whether the step needs /compact or /clear first, and whether that has happened',
    ['holdfast context', 'holdfast context --done'],
  )
    .option('--done', 'record it as performed, if no hook could observe it')
    .action(async (run: string | undefined, options, command: Command) => {
      const { contextAction } = await import('../commands/context.ts');
      contextAction(context(command), run, options);
    });

  addCommand(
    program,
    'fail [run]',
    'report that the step failed: its template decides what happens; without one the phase is blocked',
    ['holdfast fail --reason "the tests need a database"'],
  )
    .requiredOption('--reason <text>', 'why')
    .action(async (run: string | undefined, options, command: Command) => {
      const { fail } = await import('../commands/fail.ts');
      fail(context(command), run, options);
    });

  addCommand(
    program,
    'pivot <step>',
    'go back to an earlier step, with feedback that survives a /clear',
    [
      'holdfast pivot planning --feedback "the estimate leaves out the migration"',
      'holdfast pivot planning --feedback - < review.md',
    ],
  )
    .requiredOption('--feedback <text>', 'what has to change, and why; - reads standard input')
    .option('--run <run>', 'the run to change')
    .action(async (step: string, options, command: Command) => {
      const { pivot } = await import('../commands/pivot.ts');
      pivot(context(command), step, options);
    });
}
