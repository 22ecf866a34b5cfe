import { Option, type Command } from 'commander';
import type { RunOptions } from '../run-options.ts';
import { addCommand, collect, type ProgramContext } from './define.ts';

export function defineDrive({ program, context }: ProgramContext): void {
  addCommand(
    program,
    'run [run]',
    'drive a run headless: start Claude Code step by step until the run is complete or needs you',
    [
      'holdfast run --template feature "log in with a magic link" --permission-mode acceptEdits',
      'holdfast run log-in --max-cost 20 --max-time 8h --wait-limits --allow "Bash(npm test:*)"',
      'holdfast run --template release --dry-run',
    ],
  )
    .option(
      '--template <template>',
      'start a new run of this template, by name or file; [run] is then a summary of it',
    )
    .option(
      '--set <key=value>',
      'with --template: an input of the template, or a fact about the run (repeatable)',
      collect,
    )
    .option('--max-cost <usd>', 'stop when this call has cost so much (exit 4)')
    .option('--max-time <duration>', 'stop after this long, such as 8h (exit 4)')
    .option('--step-time <duration>', 'interrupt a step that takes longer, such as 40m (exit 4)')
    .option('--model <model>', 'the model that Claude Code uses')
    .addOption(
      new Option('--permission-mode <mode>', 'the permission mode of Claude Code').choices([
        'default',
        'acceptEdits',
        'plan',
        'dontAsk',
        'auto',
        'bypassPermissions',
      ]),
    )
    .option('--allow <tool>', 'a tool or rule that needs no permission (repeatable)', collect)
    .option('--wait-limits', 'when your usage limit is reached, wait until it is reset')
    .option(
      '--on-stop <command>',
      'run this command at the end, with the reason as JSON on its input',
    )
    .option('--step', 'stop after each step')
    .option('--dry-run', 'print what would be done, and start nothing')
    .action(async (given: string | undefined, options: RunOptions, command: Command) => {
      const { driveRun } = await import('../commands/run.ts');
      await driveRun(context(command, { isLook: true }), given, options);
    });
}
