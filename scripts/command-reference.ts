import type { Command } from 'commander';
import { makeProgram } from '../src/cli/program.ts';
import { nameOf } from '../src/commands/command.ts';
import { GROUPS } from '../src/commands/table.ts';

const START = '<!-- generated: npm run generate -->';
const END = '<!-- end -->';

/** What the help of a command does not say. */
const NOTES: Record<string, string> = {
  start:
    'In a session that already holds a run it is refused without `--switch`. Values of `--set` become numbers, booleans or other JSON only if nothing of the text is lost: `3` is a number, `1.10` and `007` stay text. Paths are relative to where you are and stored relative to the project root; a path that starts with `@` is relative to the root already. See [templates](../guide/templates.md) and [plans](../guide/plans.md).',
  status:
    'A required file is in context, changed, unread, missing, outside the project, or loaded by the host. A declared workflow without a state file is listed as detected.',
  advance:
    'Refused while a gate fails, a loop waits for its tasks, an approval waits, or a required artifact that is due is missing.',
  resume:
    'The session takes the run and gets its full guidance. See [whose run it is](../concepts/sessions.md).',
  skip: 'A step with a gate cannot be skipped. See [skip a phase](../guide/change-course.md#skip-a-phase).',
  fail: 'The reason and the number of tries are shown until the step is left.',
  tasks: 'See [work through tasks](../guide/templates.md#work-through-tasks).',
  pivot: 'For template runs. See [go back](../concepts/boundaries.md#go-back).',
  approve: 'See [ask for approval](../guide/templates.md#ask-for-approval).',
  context: 'See [boundaries](../concepts/boundaries.md#the-conversation).',
  autopilot:
    'In Claude Code: `/holdfast:auto` and `/holdfast:ask`. See [autopilot](../guide/autopilot.md).',
  prime: 'See [artifacts](../concepts/artifacts.md#load-them-by-hand).',
  todo: 'See [todo list](../guide/todo.md).',
  release:
    'This session is not given the run again until it names it. Without a name, in a session that holds no run and was shown several, it releases all of them.',
  complete: 'The record and its journal go to `untracked/workflow-archive/`.',
  reopen: 'The run continues where it ended.',
  guidance:
    '`--explain` adds the reason for this run, the cost of each section and what was left out. See [guidance](../concepts/guidance.md).',
  ui: 'See [view runs in a browser](../guide/ui.md).',
  templates: '`workflows` is accepted, too. See [templates](../guide/templates.md).',
  validate: 'Prints `file:line: message`. It is strict where reading is tolerant.',
  trust: "Refused inside an agent's session. See [gates](template-format.md#gates).",
  init: 'See [install](../guide/install.md).',
  uninstall: 'See [uninstall](../guide/install.md#uninstall).',
  doctor: 'See [doctor](doctor.md).',
  import:
    'Refused if the run changed in both places or is newer here; `--force` takes the file and archives the replaced state as `<run>.replaced-<time>`. See [another machine](../guide/another-machine.md).',
  sync: "In Claude Code: `/holdfast:sync`. `on`, `off` and `prune` are refused inside an agent's session. See [sync](../guide/sync.md).",
  statusline: 'See [status line](../guide/statusline.md).',
  hook: 'See [hooks](hooks.md).',
  mcp: 'See [MCP server](mcp.md).',
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
    return [`## ${title.replace(/:$/, '')}`, ...members.map((command) => section(command, '###'))];
  }).join('\n\n');
}

function section(command: Command, heading: string): string {
  const name = fullName(command);
  const subcommands = visibleCommands(command);
  const options = command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help')
    .map((option) => `- \`${option.flags}\`: ${command.createHelp().optionDescription(option)}`);
  const usage = `\`holdfast ${name}${command.registeredArguments.map(argumentText).join('')}\``;
  const note = heading === '###' ? NOTES[command.name()] : undefined;
  return [
    `${heading} ${name}`,
    `${usage}: ${command.description()}.`,
    ...(note === undefined ? [] : [note]),
    ...(options.length === 0 ? [] : [options.join('\n')]),
    ...subcommands.map((child) => section(child, `${heading}#`)),
  ].join('\n\n');
}

function visibleCommands(command: Command): Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help');
}

function fullName(command: Command): string {
  const parent = command.parent;
  return parent?.parent ? `${parent.name()} ${command.name()}` : command.name();
}

function argumentText(argument: Command['registeredArguments'][number]): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? ` <${name}>` : ` [${name}]`;
}
