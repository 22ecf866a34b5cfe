import type { Command } from 'commander';
import { addCommand, collect, type ProgramContext } from './define.ts';

export function defineEdit({ program, context }: ProgramContext): void {
  addCommand(program, 'update [run]', 'edit a run by hand', [
    'holdfast update --phase 3 --remind "keep the API stable" --set budget="2 days"',
    'holdfast update --unread docs/old.md --forget "keep the API stable" --unset budget',
  ])
    .option('--phase <n>', 'the current phase, as 3 or 3/7')
    .option('--name <name>', 'the name of the current phase')
    .option('--status <status>', 'not_started, in_progress, completed or blocked')
    .option('--read <path>', 'add a required file (repeatable)', collect)
    .option('--remind <text>', 'add a reminder (repeatable)', collect)
    .option('--set <key=value>', 'set a fact (repeatable)', collect)
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
    'let go of the run: it stays active, and another session may take it',
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
  resumeAs('resume', 'continue a run here: unpauses it if need be, and this session takes it');
  resumeAs('claim', 'the same as resume');

  addCommand(
    program,
    'complete [run]',
    'end the run; its record goes to untracked/workflow-archive/',
    ['holdfast complete', 'holdfast complete user-auth --purge'],
  )
    .option('--purge', 'keep no record')
    .action(async (run: string | undefined, options, command: Command) => {
      const { complete } = await import('../commands/complete.ts');
      complete(context(command), run, options);
    });
}
