import { parseDuration } from '../text/relative-time.ts';
import { command } from './command.ts';
import {
  flag,
  listOption,
  pairsOption,
  parsedOption,
  textOption,
  type Bad,
} from './options.ts';

export const run = command({
  usage: 'run [run]',
  about:
    'drive a run headless: start Claude Code step by step until the run is complete or needs you',
  examples: [
    'holdfast run --template feature "log in with a magic link" --permission-mode acceptEdits',
    'holdfast run log-in --max-cost 20 --max-time 8h --wait-limits --allow "Bash(npm test:*)"',
    'holdfast run --template release --dry-run',
  ],
  options: {
    template: textOption(
      'start a new run of this template, by name or file; [run] is then a summary of it',
      'template',
    ),
    set: pairsOption(
      'with --template: an input of the template, or a fact about the run (repeatable)',
    ),
    maxCost: parsedOption(
      'stop when this call has cost so much (exit 4)',
      'usd',
      amountFrom,
    ),
    maxTime: parsedOption(
      'stop after this long, such as 8h (exit 4)',
      'duration',
      durationFrom,
    ),
    stepTime: parsedOption(
      'interrupt a step that takes longer, such as 40m (exit 4)',
      'duration',
      durationFrom,
    ),
    model: textOption('the model that Claude Code uses', 'model'),
    permissionMode: {
      ...textOption('the permission mode of Claude Code', 'mode'),
      choices: [
        'default',
        'acceptEdits',
        'plan',
        'dontAsk',
        'auto',
        'bypassPermissions',
      ],
    },
    allow: listOption(
      'a tool or rule that needs no permission (repeatable)',
      'tool',
    ),
    waitLimits: flag(
      'when your usage limit is reached, wait until it is reset',
    ),
    onStop: textOption(
      'run this command at the end, with the reason as JSON on its input',
      'command',
    ),
    step: flag('stop after each step'),
    dryRun: flag('print what would be done, and start nothing'),
  },
  isLook: true,
  run: async (cli, input) => {
    const { driveRun } = await import('./run/drive-run.ts');
    await driveRun(cli, input.run, input);
  },
});

function amountFrom(input: string, bad: Bad): number {
  const match = /^\$?(\d{1,7}(?:\.\d{1,4})?)$/.exec(input.trim());
  if (match === null || Number(match[1]) <= 0)
    throw bad('an amount in US dollars, such as 2.50');
  return Number(match[1]);
}

export function durationFrom(input: string, bad: Bad): number {
  const value = parseDuration(input);
  if (value === null) throw bad('a duration such as 40s, 15m or 2h');
  return value;
}
