import { Option, type Command } from 'commander';
import type { AnyCommand } from '../commands/command.ts';
import { UsageError } from '../commands/exit-code.ts';
import type { Option as CommandOption } from '../commands/options.ts';
import type { CommandContext } from '../commands/view/output.ts';
import { fitText } from '../commands/view/layout.ts';
import { badValue } from '../text/bad-input.ts';
import type { HoldfastError } from '../text/holdfast-error.ts';

/** What a command definition is given. */
export interface ProgramContext {
  program: Command;
  /** With `isLook` the session is not marked as seen afterwards. */
  context: (command: Command, options: { isLook: boolean }) => CommandContext;
}

/** Adds a command of the table, with its subcommands, to the program or to its parent. */
export function defineCommand(
  tools: ProgramContext,
  definition: AnyCommand,
  parent: Command = tools.program,
): void {
  const { usage, about, examples, isHidden, options = {}, words = {} } = definition;
  const command = addCommand(parent, usage, about, examples, isHidden);
  for (const word of command.registeredArguments) {
    const { about: what, choices } = words[word.name()] ?? {};
    if (what !== undefined) word.description = what;
    if (choices !== undefined) word.choices(choices);
  }
  const parsed = Object.entries(options).map(([key, option]) => parsedOption(key, option));
  for (const { option } of parsed) command.addOption(option);
  if ('takesAnything' in definition) command.allowUnknownOption().allowExcessArguments();
  command.action(async () => {
    if ('passOn' in definition) return definition.passOn(command.args, command.opts());
    if (parent !== tools.program) refuseOptionsOf(parent, command);
    const input = inputOf(command, parsed);
    const { isLook = false, run, show } = definition;
    const cli = tools.context(command, {
      isLook: typeof isLook === 'function' ? isLook(input) : isLook,
    });
    const result = await calledRightly(command, () => run(cli, input));
    if (show === undefined) return;
    const { data, text, isExact = false } = show(cli, result, input);
    cli.output.result(data, isExact ? text : fitText(text, cli.output.columns));
  });
  for (const subcommand of definition.subcommands ?? []) defineCommand(tools, subcommand, command);
  if (parent !== tools.program)
    command.configureHelp({
      ...command.configureHelp(),
      visibleGlobalOptions: () => [...tools.program.options],
    });
}

/** A command finds out itself that a call makes no sense; the parser knows how to say so. */
async function calledRightly<Result>(
  command: Command,
  run: () => Result,
): Promise<Awaited<Result>> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof UsageError) return command.error(error.message);
    throw error;
  }
}

interface ParsedOption {
  key: string;
  option: Option;
  parse: CommandOption<unknown>['parse'];
}

function parsedOption(key: string, declared: CommandOption<unknown>): ParsedOption {
  const { about, value, choices, conflicts, parse } = declared;
  const name = `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const option = new Option(value === null ? name : `${name} <${value}>`, about)
    .makeOptionMandatory(declared.isRequired === true)
    .hideHelp(declared.isHidden === true);
  if (declared.isRepeatable === true) option.argParser(collect);
  if (choices !== undefined) option.choices(choices);
  if (conflicts !== undefined) option.conflicts(conflicts);
  if (declared.default !== undefined) option.default(declared.default);
  return { key, option, parse };
}

/** The words and options as the command declares them, by name. */
function inputOf(command: Command, options: readonly ParsedOption[]): object {
  // The parser gives an option that the parent has as well to the parent.
  const given = command.optsWithGlobals<Record<string, unknown>>();
  const words = command.registeredArguments.map((word, at): [string, unknown] => [
    word.name(),
    command.processedArgs[at],
  ]);
  const values = options.map(({ key, option, parse }): [string, unknown] => {
    const value = given[option.attributeName()];
    const name = option.long ?? option.flags;
    const bad = (expected: string, entry = value): HoldfastError => badValue(name, entry, expected);
    return [key, parse(option.negate ? value === false : value, bad, name)];
  });
  return Object.fromEntries([...words, ...values]);
}

/** An option of the parent alone would be ignored: `sync off --dry-run` would switch it off. */
function refuseOptionsOf(parent: Command, command: Command): void {
  for (const option of parent.options) {
    const isOwn = command.options.some(({ long }) => long === option.long);
    if (!isOwn && parent.getOptionValue(option.attributeName()) !== undefined)
      command.error(`error: unknown option '${option.long ?? option.flags}'`, {
        code: 'commander.unknownOption',
      });
  }
}

function addCommand(
  program: Command,
  usage: string,
  description: string,
  examples: readonly string[],
  isHidden = false,
): Command {
  const command = program.command(usage, { hidden: isHidden }).description(description);
  if (examples.length === 0) return command;
  const lines = examples.map((example) => `  $ ${example}`).join('\n');
  return command.addHelpText(
    'after',
    `\n${examples.length === 1 ? 'Example' : 'Examples'}:\n${lines}`,
  );
}

function collect(value: string, values: string[] = []): string[] {
  return [...values, value];
}
