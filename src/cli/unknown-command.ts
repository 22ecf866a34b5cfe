import { closestMatch } from '../text/closest-match.ts';
import type { Command } from 'commander';
import { HoldfastError } from '../text/holdfast-error.ts';

/** `unknown command 'stat'` */
export const UNKNOWN_COMMAND = /^unknown command '([^']*)'/;

/** `(Did you mean status?)`, `(Did you mean one of start, status?)` */
export const DID_YOU_MEAN = /\(Did you mean (?:one of )?([^?]*)\?\)/;

export const isNoOption = (word: string): boolean => !word.startsWith('-');

export function unknownCommand(
  word: string,
  alike: string | undefined,
): HoldfastError {
  const meant = (SLIPS.get(word) ?? alike)?.split(', ') ?? [];
  const commands = meant.map((name) => `\`holdfast ${name}\``);
  const question =
    commands.length === 0 ? '' : `did you mean ${commands.join(' or ')}? `;
  const hint = `${question}\`holdfast --help\` lists the commands`;
  return new HoldfastError('usage', `unknown command '${word}'`, { hint });
}

/** The parser takes `todo remove` for `todo` with an argument; null if that cannot be meant. */
export function unknownSubcommand(
  command: Command,
  path: string,
  argv: readonly string[],
  usage: string,
): HoldfastError | null {
  const subcommands = command.commands.map((subcommand) => subcommand.name());
  const word = argv
    .slice(argv.indexOf(command.name()) + 1)
    .find((candidate) => isNoOption(candidate));
  if (subcommands.length === 0 || word === undefined) return null;

  const meant = closestMatch(word, subcommands);
  const question =
    meant === undefined ? '' : `did you mean \`${path} ${meant}\`? `;
  const unknown = [...path.split(' ').slice(1), word].join(' ');
  return new HoldfastError('usage', `unknown command '${unknown}'`, {
    hint: question + usage,
  });
}

/** The command that was typed, after those that it belongs to. */
export function commandsIn(
  program: Command,
  argv: readonly string[],
): Command[] {
  const path = [program];
  let current = program;
  for (const word of argv.slice(2)) {
    const next = current.commands.find((command) => command.name() === word);
    if (next === undefined) continue;
    path.push(next);
    current = next;
  }
  return path;
}

/** Words that people try first → what they mean: a command or an option. */
const SLIPS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    init: 'install setup',
    complete: 'finish done end',
    advance: 'next',
    resume: 'continue claim unpause',
    start: 'new begin create',
    templates: 'template workflow workflows',
    cancel: 'delete remove abort',
    ui: 'web gui page browser',
    pause: 'stop',
    pivot: 'back',
    doctor: 'check',
    history: 'log',
    list: 'ls runs',
    status: 'st',
    '--version': 'version',
  }).flatMap(([meant, words]) =>
    words.split(' ').map((word): [string, string] => [word, meant]),
  ),
);
