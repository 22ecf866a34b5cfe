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
  autopilot: 'The mode is `auto` or `ask`.',
  release:
    'Without a name, in a session that holds no run and was shown several, it releases all of them.',
  import: 'Refused if the run changed in both places or is newer here.',
  sync: "`on`, `off` and `prune` are refused inside an agent's session.",
};

/** The page with its list of commands as the program defines them. */
export function withCommands(page: string): string {
  const start = page.indexOf(START);
  const end = page.indexOf(END, start);
  if (start < 0 || end < 0) throw new Error('the page has no place for the commands');
  return `${page.slice(0, start)}${START}\n\n${commandList()}\n\n${page.slice(end)}`;
}

function commandList(): string {
  const visible = visibleCommands(makeProgram());
  return GROUPS.flatMap(({ title, commands }) => {
    const members = commands.flatMap(
      (each) => visible.find((command) => command.name() === nameOf(each)) ?? [],
    );
    return [`## ${title.replace(/:$/, '')}`, ...members.map(section)];
  }).join('\n\n');
}

function section(command: Command): string {
  const note = NOTES[command.name()];
  const options = optionsOf(command);
  const subcommands = visibleCommands(command).flatMap((child) => [
    `- \`${usageOf(child)}\`: ${child.description()}`,
    ...optionsOf(child)
      .filter((option) => !options.includes(option))
      .map((option) => `  ${option}`),
  ]);
  const details = [...options, ...subcommands];
  const about = command.description();
  return [
    `### \`${usageOf(command)}\``,
    `${about.charAt(0).toUpperCase()}${about.slice(1)}.${note === undefined ? '' : ` ${note}`}`,
    ...(details.length === 0 ? [] : [details.join('\n')]),
  ].join('\n\n');
}

function usageOf(command: Command): string {
  return [command.name(), ...command.registeredArguments.map(argumentText)].join(' ');
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

function argumentText(argument: Command['registeredArguments'][number]): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}
