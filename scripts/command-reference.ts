import type { Command } from 'commander';
import { makeProgram } from '../src/cli/program.ts';
import { nameOf } from '../src/commands/command.ts';
import { GROUPS } from '../src/commands/table.ts';

const START = '<!-- generated: npm run generate -->';
const END = '<!-- end -->';

/** What the help of a command does not say. */
const NOTES: Record<string, string> = {
  start:
    'Refused in a session that holds a run, without `--switch`. A value of `--set` becomes a number, boolean or other JSON only if no text is lost: `1.10` and `007` stay text. Paths are relative to where you are; one that starts with `@` is relative to the project root.',
  advance:
    'Refused while a gate fails, a loop waits for its tasks, an approval waits, or a required artifact that is due is missing.',
  skip: 'A step with a gate cannot be skipped.',
  release:
    'Without a name, in a session that holds no run and was shown several, it releases all of them.',
  import: 'Refused if the run changed in both places or is newer here.',
  sync: "`on`, `off`, `allow` and `prune` are refused inside an agent's session.",
};

/** The page with its list of commands as the program defines them. */
export function withCommands(page: string): string {
  const start = page.indexOf(START);
  const end = page.indexOf(END, start);
  if (start < 0 || end < 0)
    throw new Error('the page has no place for the commands');
  return `${page.slice(0, start)}${START}\n\n${commandList()}\n\n${page.slice(end)}`;
}

/** The commands that people type with all their options, the others in a line each. */
function commandList(): string {
  const program = makeProgram();
  const named = (name: string): Command => {
    const found = program.commands.find((command) => command.name() === name);
    if (found === undefined) throw new Error(`there is no command ${name}`);
    return found;
  };
  return GROUPS.flatMap(({ title, commands }, at) => {
    const members = commands
      .filter(({ isHidden }) => isHidden !== true)
      .map(nameOf)
      .map(named);
    const list =
      at === 0
        ? members.map(section)
        : [members.map((each) => line(each)).join('\n')];
    return [`## ${title.replace(/:$/, '')}`, ...list];
  }).join('\n\n');
}

function section(command: Command): string {
  const options = optionsOf(command);
  return [
    `### \`${usageOf(command)}\``,
    aboutOf(command),
    ...(options.length === 0 ? [] : [options.join('\n')]),
  ].join('\n\n');
}

function line(command: Command, margin = ''): string {
  const help = command.createHelp();
  const flags = help
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help')
    .map(({ long, flags: text }) => `\`${long ?? text}\``);
  return [
    `${margin}- \`${usageOf(command)}\`: ${aboutOf(command)}${flags.length === 0 ? '' : ` ${flags.join(', ')}`}`,
    ...visibleCommands(command).map((child) => line(child, `${margin}  `)),
  ].join('\n');
}

function aboutOf(command: Command): string {
  const note = NOTES[command.name()];
  const about = command.description();
  return `${about.charAt(0).toUpperCase()}${about.slice(1)}.${note === undefined ? '' : ` ${note}`}`;
}

function usageOf(command: Command): string {
  return [
    command.name(),
    ...command.registeredArguments.map(argumentText),
  ].join(' ');
}

function optionsOf(command: Command): string[] {
  const help = command.createHelp();
  return help
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help')
    .map((option) => {
      const text = help.optionDescription(option);
      const once = text.replace(' (repeatable)', '');
      return `- \`${option.flags}\`${once === text ? '' : '…'}: ${once}`;
    });
}

function visibleCommands(command: Command): Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help');
}

function argumentText(
  argument: Command['registeredArguments'][number],
): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}
