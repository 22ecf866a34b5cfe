import type { Command } from 'commander';
import { closestMatch } from '../text/closest-match.ts';

export interface UsageError {
  message: string;
  hint: string;
}

/** What the parser says where it shows its help because `help` was given something unknown. */
const HELP_SHOWN = '(outputHelp)';

/** What the parser complains about, in the form of all other errors: what is wrong, and what to do. */
export function usageError(
  complaint: string,
  program: Command,
  argv: readonly string[],
): UsageError {
  const [first = '', ...more] = complaint.replace(/^error: /, '').split('\n');
  const message = first
    .replace(/\.$/, '')
    .replace(/\. ([A-Z])/g, (_, letter: string) => `: ${letter.toLowerCase()}`);
  const word =
    complaint === HELP_SHOWN
      ? argv.slice(2).find((each) => each !== 'help' && !each.startsWith('-'))
      : /^unknown command '([^']*)'/.exec(message)?.[1];
  const alike = /\(Did you mean (?:one of )?([^?]*)\?\)/.exec(more.join(' '))?.[1] ?? null;
  if (word !== undefined) {
    const meant = commandMeant(word) ?? alike;
    const list = '`holdfast --help` lists the commands';
    return {
      message: `unknown command '${word}'`,
      hint:
        meant === null
          ? list
          : `did you mean ${meant
              .split(', ')
              .map((each) => `\`holdfast ${each}\``)
              .join(' or ')}? ${list}`,
    };
  }
  const { command, path, rest } = commandIn(program, argv);
  const usage = `\`${path} --help\` shows how to use it, with examples`;
  const subcommands = command.commands.map((each) => each.name());
  const wrong = rest.find((each) => !each.startsWith('-'));
  if (message.startsWith('too many arguments') && subcommands.length > 0 && wrong !== undefined) {
    const meant = closestMatch(wrong, subcommands);
    return {
      message: `unknown command '${[...path.split(' ').slice(1), wrong].join(' ')}'`,
      hint: meant === undefined ? usage : `did you mean \`${path} ${meant}\`? ${usage}`,
    };
  }
  return { message, hint: alike === null ? usage : `did you mean ${alike}? ${usage}` };
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

/** Words that people try first, and what they mean: a command or an option. */
const SLIPS: Readonly<Record<string, string>> = {
  install: 'init',
  setup: 'init',
  finish: 'complete',
  done: 'complete',
  end: 'complete',
  next: 'advance',
  continue: 'resume',
  claim: 'resume',
  unpause: 'resume',
  new: 'start',
  begin: 'start',
  create: 'start',
  template: 'templates',
  workflow: 'templates',
  delete: 'cancel',
  remove: 'cancel',
  abort: 'cancel',
  web: 'ui',
  gui: 'ui',
  page: 'ui',
  browser: 'ui',
  stop: 'pause',
  back: 'pivot',
  check: 'doctor',
  log: 'history',
  ls: 'list',
  runs: 'list',
  st: 'status',
  version: '--version',
};

/** The command that a word means which is spelt unlike it; null if the word is not known. */
function commandMeant(word: string): string | null {
  return Object.hasOwn(SLIPS, word) ? (SLIPS[word] ?? null) : null;
}
