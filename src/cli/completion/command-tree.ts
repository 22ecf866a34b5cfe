import type { Argument, Command, Option } from 'commander';
import { PHASE_STATUSES, WORKFLOW_TYPES } from '../../state/types.ts';

/** What a shell can offer in a place. */
export type Offer =
  | { kind: 'words'; words: readonly string[] }
  | { kind: 'runs' | 'templates' | 'files' | 'folders' | 'nothing' };

export interface OptionShape {
  names: string[];
  description: string;
  /** What its value can be; null where it takes none. */
  value: Offer | null;
}

export interface CommandShape {
  /** As it is typed, from `holdfast` on. */
  path: string;
  name: string;
  description: string;
  options: OptionShape[];
  argument: { offer: Offer; isVariadic: boolean } | null;
  commands: CommandShape[];
}

/** The commands, options and values of a program as a tree that knows nothing of its parser. */
export function shapeOf(program: Command): CommandShape {
  return commandShape(program, [], []);
}

function commandShape(
  program: Command,
  above: readonly string[],
  siblings: readonly string[],
): CommandShape {
  const help = program.createHelp();
  const commands = help.visibleCommands(program);
  const names = commands.map((command) => command.name());
  const [argument] = program.registeredArguments;
  const path = [...above, program.name()];
  return {
    path: path.join(' '),
    name: program.name(),
    description: program.description(),
    options: [...help.visibleOptions(program), ...help.visibleGlobalOptions(program)]
      .filter((option) => path.length === 1 || option.long !== '--version')
      .map(optionShape),
    argument:
      argument === undefined
        ? null
        : { offer: argumentOffer(argument, siblings), isVariadic: argument.variadic },
    commands: commands.map((command) => commandShape(command, path, names)),
  };
}

export function everyCommand(shape: CommandShape): CommandShape[] {
  return [shape, ...shape.commands.flatMap(everyCommand)];
}

function optionShape(option: Option): OptionShape {
  const takesValue = option.required || option.optional;
  return {
    names: [option.short, option.long].filter((name) => name !== undefined),
    description: option.description,
    value: takesValue ? offerFor(valueName(option.flags), option.argChoices) : null,
  };
}

/** `help` is given the name of a command. */
function argumentOffer(argument: Argument, siblings: readonly string[]): Offer {
  if (argument.name() === 'command') return { kind: 'words', words: siblings };
  return offerFor(argument.name(), argument.argChoices);
}

function valueName(flags: string): string {
  return /[<[]([\w=]+)/.exec(flags)?.[1] ?? '';
}

const OFFERS: Record<string, Exclude<Offer['kind'], 'words'>> = {
  run: 'runs',
  template: 'templates',
  file: 'files',
  files: 'files',
  path: 'files',
  dir: 'folders',
};

const WORDS: Record<string, readonly string[]> = { status: PHASE_STATUSES, type: WORKFLOW_TYPES };

function offerFor(name: string, choices: readonly string[] | undefined): Offer {
  const words = choices ?? WORDS[name];
  if (words !== undefined) return { kind: 'words', words };
  return { kind: OFFERS[name] ?? 'nothing' };
}
