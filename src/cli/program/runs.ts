import { Option, type Command } from 'commander';
import { addCommand, collect, type ProgramContext } from './define.ts';

export function defineStart({ program, context }: ProgramContext): void {
  addCommand(program, 'start [name]', 'start a run of a workflow, with phase 1 in progress', [
    'holdfast start "User Auth" --type implementation --phases "Design,Build,Review" --read docs/spec.md',
    'holdfast start --template feature "log in with a magic link"',
    'holdfast start --from-plan docs/plan.md',
  ])
    .option(
      '--template <template>',
      'the template that drives the run, by name or file; [name] is then a summary of the run',
    )
    .addOption(
      new Option(
        '--from-plan <file>',
        'a Markdown plan with headings and check boxes: its phases become those of the run',
      ).conflicts('template'),
    )
    .option('--type <type>', 'planning, qa-loop, implementation or custom')
    .option('--phases <names>', 'the names of the phases, separated by commas')
    .option('--read <path>', 'a file that must be read (repeatable)', collect)
    .option('--remind <text>', 'a rule that must survive compaction (repeatable)', collect)
    .option(
      '--set <key=value>',
      'a fact about this run, or an input of its template (repeatable)',
      collect,
    )
    .option('--set-local <key=value>', 'a fact that `sync` never sends (repeatable)', collect)
    .option('--artifact <key=path>', 'a named file of this run (repeatable)', collect)
    .option('--switch', 'release the run that this session holds')
    .action(async (name: string | undefined, options, command: Command) => {
      const { start } = await import('../commands/start.ts');
      start(context(command), name, options);
    });
}

export function defineEdit({ program, context }: ProgramContext): void {
  addCommand(program, 'update [run]', 'edit a run by hand', [
    'holdfast update --phase 3 --remind "keep the API stable" --set budget="2 days"',
    'holdfast update --unread docs/old.md --forget "keep the API stable" --unset budget',
  ])
    .option('--phase <n>', 'the current phase, as 3 or 3/7')
    .option(
      '--phases <names>',
      'all phases, separated by commas; the run stays in its phase by name',
    )
    .option('--name <name>', 'the name of the current phase')
    .option('--status <status>', 'not_started, in_progress, completed or blocked')
    .option('--read <path>', 'add a required file (repeatable)', collect)
    .option('--remind <text>', 'add a reminder (repeatable)', collect)
    .option('--set <key=value>', 'set a fact (repeatable)', collect)
    .option('--set-local <key=value>', 'set a fact that `sync` never sends (repeatable)', collect)
    .option('--artifact <key=path>', 'name a file (repeatable)', collect)
    .option('--unread <path>', 'remove a required file (repeatable)', collect)
    .option('--forget <text>', 'remove a reminder (repeatable)', collect)
    .option('--unset <key>', 'remove a fact (repeatable)', collect)
    .action(async (run: string | undefined, options, command: Command) => {
      const { update } = await import('../commands/update.ts');
      update(context(command), run, options);
    });

  addCommand(
    program,
    'release [run]',
    'release the run: it stays active, and another session may take it',
    ['holdfast release'],
  ).action(async (run: string | undefined, _options, command: Command) => {
    const { release } = await import('../commands/release.ts');
    release(context(command), run);
  });

  addCommand(program, 'pause [run]', 'stop restoring the run until it is resumed', [
    'holdfast pause --reason "waiting for the design review"',
  ])
    .option('--reason <text>', 'why')
    .action(async (run: string | undefined, options, command: Command) => {
      const { pause } = await import('../commands/pause.ts');
      pause(context(command), run, options);
    });

  const resumeAs = (name: string, description: string): void => {
    addCommand(program, `${name} [run]`, description, [
      `holdfast ${name} user-auth`,
      `holdfast ${name} user-auth --force`,
    ])
      .option('--force', 'take it even if a live session holds it')
      .action(async (run: string | undefined, options, command: Command) => {
        const { resume } = await import('../commands/resume.ts');
        resume(context(command), run, options);
      });
  };
  resumeAs(
    'resume',
    'continue a run here: unpauses or reopens it if need be, and this session takes it',
  );
  resumeAs('claim', 'the same as resume');

  addCommand(program, 'complete [run]', 'end the run as done; its record goes to the archive', [
    'holdfast complete',
    'holdfast complete user-auth --purge',
  ])
    .option('--purge', 'keep no record')
    .action(async (run: string | undefined, options, command: Command) => {
      const { complete } = await import('../commands/complete.ts');
      complete(context(command), run, options);
    });

  addCommand(program, 'cancel [run]', 'end the run as given up; its record goes to the archive', [
    'holdfast cancel --reason "the feature is no longer wanted"',
  ])
    .requiredOption('--reason <text>', 'why')
    .action(async (run: string | undefined, options: { reason: string }, command: Command) => {
      const { cancel } = await import('../commands/cancel.ts');
      cancel(context(command), run, options);
    });

  addCommand(program, 'reopen <run>', 'bring a run back from the archive', [
    'holdfast reopen user-auth',
  ]).action(async (run: string, _options, command: Command) => {
    const { reopen } = await import('../commands/reopen.ts');
    reopen(context(command), run);
  });
}
