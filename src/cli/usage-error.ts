import type { Command } from 'commander';
import { closestMatch } from '../text/closest-match.ts';
import { HoldfastError } from '../text/holdfast-error.ts';

/** What the parser says where it shows its help because `help` was given something unknown. */
const HELP_SHOWN = '(outputHelp)';

/** What the parser complains about, in the form of all other errors: what is wrong, and what to do. */
export function usageError(
  complaint: string,
  program: Command,
  argv: readonly string[],
): HoldfastError {
  const [first = '', ...more] = complaint.replace(/^error: /, '').split('\n');
  const message = first
    .replace(/\.$/, '')
    .replace(/\. ([A-Z])/g, (_, letter: string) => `: ${letter.toLowerCase()}`);
  const word =
    complaint === HELP_SHOWN
      ? argv.slice(2).find((each) => each !== 'help' && !each.startsWith('-'))
      : /^unknown command '([^']*)'/.exec(message)?.[1];
  const alike = /\(Did you mean (?:one of )?([^?]*)\?\)/.exec(more.join(' '))?.[1];
  if (word !== undefined) {
    const meant = (SLIPS.get(word) ?? alike)?.split(', ').map((each) => `\`holdfast ${each}\``);
    const question = meant === undefined ? '' : `did you mean ${meant.join(' or ')}? `;
    const hint = `${question}\`holdfast --help\` lists the commands`;
    return new HoldfastError('usage', `unknown command '${word}'`, { hint });
  }
  const { command, path, rest } = commandIn(program, argv);
  const usage = `\`${path} --help\` shows how to use it, with examples`;
  const subcommands = command.commands.map((each) => each.name());
  const wrong = rest.find((each) => !each.startsWith('-'));
  if (message.startsWith('too many arguments') && subcommands.length > 0 && wrong !== undefined) {
    const meant = closestMatch(wrong, subcommands);
    const unknown = [...path.split(' ').slice(1), wrong].join(' ');
    const hint = meant === undefined ? usage : `did you mean \`${path} ${meant}\`? ${usage}`;
    return new HoldfastError('usage', `unknown command '${unknown}'`, { hint });
  }
  const hint = alike === undefined ? usage : `did you mean ${alike}? ${usage}`;
  return new HoldfastError('usage', message, { hint });
}

/** The command that was typed, as far as it is known, with its path from `holdfast` on and the words after it. */
function commandIn(
  program: Command,
  argv: readonly string[],
): { command: Command; path: string; rest: string[] } {
  let command = program;
  const path = [program.name()];
  let rest: string[] = [];
  for (const word of argv.slice(2)) {
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) {
      rest.push(word);
      continue;
    }
    command = next;
    path.push(word);
    rest = [];
  }
  return { command, path: path.join(' '), rest };
}

/** Words that people try first → what they mean: a command or an option. */
const SLIPS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    init: 'install setup',
    complete: 'finish done end',
    advance: 'next',
    resume: 'continue claim unpause',
    start: 'new begin create',
    templates: 'template workflow',
    cancel: 'delete remove abort',
    ui: 'web gui page browser',
    pause: 'stop',
    pivot: 'back',
    doctor: 'check',
    history: 'log',
    list: 'ls runs',
    status: 'st',
    '--version': 'version',
  }).flatMap(([meant, words]) => words.split(' ').map((word): [string, string] => [word, meant])),
);
