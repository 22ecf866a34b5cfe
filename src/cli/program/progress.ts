import { Argument, type Command } from 'commander';
import type { AutopilotMode } from '../commands/autopilot.ts';
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
    .option('--artifact <path>', 'a file that this phase produced (repeatable)', collect)
    .option('--name <name>', 'the name of the next phase')
    .option('--force', 'even if a required artifact or a file that the step must leave is missing')
    .action(async (run: string | undefined, options, command: Command) => {
      const { advance } = await import('../commands/advance.ts');
      await advance(context(command), run, options);
    });

  addCommand(
    program,
    'tasks <loop>',
    'give a loop its tasks, as JSON or one per line; lists them if none are given',
    ['holdfast tasks build --file tasks.json', 'grep "^- " docs/plan.md | holdfast tasks build'],
  )
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

  // No option of `context`, which the agent may call without asking: only the user switches this.
  addCommand(
    program,
    'autopilot',
    'who runs the /compact and /clear of this run: Claude Code, or you',
    ['holdfast autopilot ask', 'holdfast autopilot auto user-auth'],
  )
    .addArgument(
      new Argument(
        '<mode>',
        'auto: Claude Code runs them and continues with the next step; ask: the steps ask you',
      ).choices(['auto', 'ask']),
    )
    .argument('[run]', 'the run to switch')
    .action(async (mode: AutopilotMode, run: string | undefined, _options, command: Command) => {
      const { autopilot } = await import('../commands/autopilot.ts');
      autopilot(context(command), run, mode);
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
    'skip [run]',
    'leave the current phase undone, or a later one; it is shown as skipped, never as done',
    [
      'holdfast skip --reason "the feature needs no migration"',
      'holdfast skip --phase 4 --reason "no upgrade guide in this release"',
    ],
  )
    .option('--phase <n>', 'a later phase of a run without a template (default: the current one)')
    .requiredOption('--reason <text>', 'why')
    .action(async (run: string | undefined, options, command: Command) => {
      const { skip } = await import('../commands/skip.ts');
      skip(context(command), run, options);
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

export function defineApproval({ program, context }: ProgramContext): void {
  addCommand(
    program,
    'approve [run]',
    'accept what an approval step shows, so that the run continues (only in a terminal of your own)',
    ['holdfast approve', 'holdfast approve --note "ship it, but leave the old API in place"'],
  )
    .option('--note <text>', 'what later steps should know; - reads standard input')
    .action(async (run: string | undefined, options, command: Command) => {
      const { approve } = await import('../commands/approve.ts');
      await approve(context(command), run, options);
    });

  addCommand(
    program,
    'reject [run]',
    'send the work of an approval step back with feedback (only in a terminal of your own)',
    ['holdfast reject --feedback "the plan leaves out the migration"'],
  )
    .requiredOption('--feedback <text>', 'what has to change, and why; - reads standard input')
    .action(async (run: string | undefined, options, command: Command) => {
      const { reject } = await import('../commands/reject.ts');
      reject(context(command), run, options);
    });
}
