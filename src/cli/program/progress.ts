import type { Command } from 'commander';
import { addCommand, collect, type ProgramContext } from './define.ts';

export function defineMoving({ program, context }: ProgramContext): void {
  addCommand(
    program,
    'advance [run]',
    'finish the current phase and go to the next; past the last one the run completes',
    [
      'holdfast advance --output "the API is in src/api.ts"',
      'git log -1 | holdfast advance --output -',
    ],
  )
    .option('--output <text>', 'what this phase hands on; - reads standard input')
    .option('--artefact <path>', 'a file that this phase made (again for more)', collect)
    .option('--name <name>', 'the name of the next phase')
    .option('--force', 'even if a required artifact is missing')
    .action(async (run: string | undefined, options, command: Command) => {
      const { advance } = await import('../commands/advance.ts');
      await advance(context(command), run, options);
    });

  addCommand(
    program,
    'tasks <loop>',
    'give a loop of the workflow its tasks: JSON, or a line each',
    ['holdfast tasks build --file tasks.json', 'grep "^- " docs/plan.md | holdfast tasks build'],
  )
    .option('--run <run>', 'the run that is meant')
    .option('--file <file>', 'where they stand (default: standard input)')
    .action(async (loop: string, options, command: Command) => {
      const { tasks } = await import('../commands/tasks.ts');
      tasks(context(command), loop, options);
    });

  addCommand(
    program,
    'context [run]',
    'whether the step asks for /compact or /clear first, and whether that has happened',
    ['holdfast context', 'holdfast context --done'],
  )
    .option('--done', 'it has happened where no hook could see it')
    .action(async (run: string | undefined, options, command: Command) => {
      const { contextAction } = await import('../commands/context.ts');
      contextAction(context(command), run, options);
    });

  addCommand(
    program,
    'fail [run]',
    'the step failed: its template decides; without one the phase is blocked',
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
    'go back to an earlier step of the workflow, with feedback that survives a /clear',
    [
      'holdfast pivot planning --feedback "the estimate leaves out the migration"',
      'holdfast pivot planning --feedback - < review.md',
    ],
  )
    .requiredOption('--feedback <text>', 'what is to change, and why; - reads standard input')
    .option('--run <run>', 'the run that is meant')
    .action(async (step: string, options, command: Command) => {
      const { pivot } = await import('../commands/pivot.ts');
      pivot(context(command), step, options);
    });
}
