import { Command, CommanderError, Help, Option } from 'commander';
import { resolve } from 'node:path';
import { type AnyCommand, nameOf } from '../commands/command.ts';
import type { VersionDocument } from '../commands/json/documents.ts';
import type { Option as CommandOption } from '../commands/options.ts';
import { COMMANDS, GROUPS } from '../commands/table.ts';
import {
  keepHooksCurrent,
  packageFolder,
  placesOfHooks,
} from '../commands/view/installation.ts';
import { type CommandContext, makeOutput } from '../commands/view/output.ts';
import {
  configFolder,
  findProjectRoot,
  homeFolder,
} from '../files/environment.ts';
import { write } from '../files/streams.ts';
import { previewTarget } from '../runs/which-run.ts';
import type { Entrance } from '../sessions/caller.ts';
import {
  isSecretOf,
  secretFromStdin,
  startingClient,
} from '../sessions/client-secret.ts';
import {
  openOperationContext,
  tellMessages,
  touchSession,
  type OperationContext,
} from '../sessions/open-project.ts';
import { type HoldfastError, badValue } from '../text/holdfast-error.ts';
import { ownMember } from '../text/json.ts';
import { shellQuote } from '../text/shell-commands.ts';
import { version } from '../text/version.ts';

/** Only the command that the first word names, if any: it takes as long to define all of them as to run one. */
export function makeProgram(word?: string): Command {
  const program = new Command('holdfast')
    .description(
      'Keeps long, multi-phase work in Claude Code alive across compaction, /clear, resumes and machines.\nWithout a command it shows the run in progress and what to type next.',
    )
    .option(
      '-V, --version',
      'print the version of holdfast and Node, and where holdfast runs from',
    )
    .on('option:version', () => {
      // What a bug report needs. The parser may not have come to --json yet.
      const { version: node, execPath } = process;
      const folder = packageFolder();
      const document: VersionDocument = {
        version,
        node_version: node,
        node_path: execPath,
        folder,
      };
      makeOutput(process.argv.includes('--json')).result(
        document,
        `holdfast ${version}\nNode ${node} (${execPath})\nruns from ${folder}`,
      );
      throw new CommanderError(0, 'commander.version', version);
    })
    .option('--cwd <dir>', 'run as if started in this folder')
    .option('--json', 'print the result as JSON')
    .option(
      '--session <id>',
      'the session to act for (default: the one it runs in)',
    )
    // Of `help`, which is the parser's own.
    .commandsGroup('Set up and move:')
    .helpCommand(
      'help [command]',
      'show how to use a command; with --all every command',
    )
    .configureHelp({
      sortSubcommands: false,
      showGlobalOptions: true,
      minWidthToWrap: 12,
    })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => write(1, text),
      // Nothing but the help of an unknown command, which would hide the error.
      writeErr: () => {},
      // Printed with all other errors, in the same form.
      outputError: () => {},
    });

  program.createHelp = () =>
    Object.assign(new GroupedHelp(), program.configureHelp());
  program.addHelpText(
    'after',
    '\n`holdfast help --all` shows every command.\n`holdfast <command> --help` shows the options of a command, with examples.',
  );

  const named = COMMANDS.find((command) => nameOf(command) === word);
  for (const command of named === undefined ? COMMANDS : [named])
    defineCommand(program, command);
  return program;
}

/** The help of the whole program: commands by purpose, then the options that all of them take. */
class GroupedHelp extends Help {
  override visibleCommands(command: Command): Command[] {
    const all = super.visibleCommands(command);
    const isWhole = command.parent !== null || process.argv.includes('--all');
    if (isWhole) return all;
    return all.filter((listed) => listed.helpGroup() === GROUPS[0]?.title);
  }

  /** Nearly every command has options, so the list leaves that out. */
  override subcommandTerm(command: Command): string {
    return super.subcommandTerm(command).replace(' [options]', '');
  }

  /** Commands are what people look for, so the options come last. */
  override formatHelp(program: Command, helper: Help): string {
    const blocks = super.formatHelp(program, helper).trimEnd().split('\n\n');
    const isOptions = (block: string): boolean => block.startsWith('Options:');
    const ordered = [
      ...blocks.filter((block) => !isOptions(block)),
      ...blocks.filter(isOptions),
    ];
    return `${ordered.join('\n\n')}\n`;
  }
}

/** Where the call comes in. Reads standard input with `--proof`, so that no option can take the secret for its text. */
function entranceOf(command: Command): Entrance {
  const { session: named, proof } = command.optsWithGlobals<{
    session?: string;
    proof?: boolean;
  }>();
  if (proof !== true) return { at: 'shell', named };
  const secret = secretFromStdin();
  const client = startingClient();
  const config = configFolder(process.env, homeFolder());
  const isProven =
    client !== null && secret !== null && isSecretOf(config, client, secret);
  return { at: 'client', named, proven: isProven ? client : null };
}

/** `run` is the name of the run that the call is about, if it takes one. */
function createContext(
  command: Command,
  entrance: Entrance,
  run: unknown,
): CommandContext {
  const options = command.optsWithGlobals<{ cwd?: string; json?: boolean }>();
  const output = makeOutput(options.json === true);
  const cwd = resolve(options.cwd ?? process.cwd());
  const open = (isCwdGiven: boolean): OperationContext =>
    openOperationContext({
      cwd,
      entrance,
      environment: process.env,
      isCwdGiven,
      warn: output.warn,
    });
  const own = open(options.cwd !== undefined);
  const context = contextOfNamed(own, () => open(true), cwd, run);
  return {
    ...context,
    output,
    command: command.name(),
    hasHooks: () => placesOfHooks(context).length > 0,
    retryFor: (runId) => withRunNamed(command.name(), runId),
  };
}

/** A session that holds a run elsewhere may name one of the project that it stands in. */
function contextOfNamed(
  own: OperationContext,
  openHere: () => OperationContext,
  cwd: string,
  run: unknown,
): OperationContext {
  if (typeof run !== 'string') return own;
  const isElsewhere = findProjectRoot(cwd, homeFolder()) !== own.root;
  if (!isElsewhere) return own;
  const named = previewTarget(own, run);
  if (named?.state.sessions?.current_session_id === own.session) return own;
  const here = openHere();
  return previewTarget(here, run) === null ? own : here;
}

/** Commands whose first word is not a run. */
const TAKES_OPTION = new Set(['tasks', 'pivot', 'note']);
const MAX_LINE_CHARS = 300;

/** The command as it was typed, with the run that it is about. */
function withRunNamed(command: string, runId: string): string {
  const words = process.argv.slice(2);
  const typed = words.map(shellQuote);
  if (TAKES_OPTION.has(command)) typed.push('--run', runId);
  else {
    // The first word of `autopilot` is the mode.
    const wordsBefore = command === 'autopilot' ? 2 : 1;
    typed.splice(words.indexOf(command) + wordsBefore, 0, runId);
  }
  const line = `holdfast ${typed.join(' ')}`;
  if (line.length <= MAX_LINE_CHARS) return line;
  return `holdfast ${command} ${runId} …`;
}

/** Makes the parser know a command, and its subcommands below it. */
function defineCommand(
  program: Command,
  definition: AnyCommand,
  parent = program,
): void {
  const { usage, about, isHidden: hidden = false, options = {} } = definition;
  const command = parent.command(usage, { hidden }).description(about);
  describeInHelp(command, definition);
  const parsed = Object.entries(options).map(([key, option]) =>
    parsedOption(key, option),
  );
  for (const { option } of parsed) command.addOption(option);
  if (definition.takesProof === true)
    command.addOption(new Option('--proof').hideHelp());
  if ('takesAnything' in definition)
    command.allowUnknownOption().allowExcessArguments();

  command.action(async () => {
    // It has its own parser, so its words are not read here.
    if ('passOn' in definition)
      return definition.passOn(command.args, command.opts());
    if (parent !== program) refuseOptionsOf(parent, command);
    await runCommand(command, definition, parsed);
  });

  for (const subcommand of definition.subcommands ?? [])
    defineCommand(program, subcommand, command);
  // Otherwise the options of the command above it would be shown as global ones.
  if (parent !== program)
    command.configureHelp({
      ...command.configureHelp(),
      visibleGlobalOptions: () => [...program.options],
    });
}

function describeInHelp(command: Command, definition: AnyCommand): void {
  const { examples } = definition;
  if (examples.length > 0) {
    const title = examples.length === 1 ? 'Example' : 'Examples';
    const lines = examples.map((example) => `\n  $ ${example}`).join('');
    command.addHelpText('after', `\n${title}:${lines}`);
  }
  const group = GROUPS.find(({ commands }) => commands.includes(definition));
  if (group !== undefined) command.helpGroup(group.title);
}

/** Runs a command and prints its result. A command that only looks leaves no trace that its session is there. */
async function runCommand(
  command: Command,
  definition: Exclude<AnyCommand, { passOn: unknown }>,
  options: readonly ParsedOption[],
): Promise<void> {
  const entrance = entranceOf(command);
  const input = inputOf(command, options);
  const isLook =
    definition.isLook === true || ownMember(input, 'look') === true;
  const cli = createContext(command, entrance, ownMember(input, 'run'));
  if (!isLook) {
    cli.registry.recordSeen(cli.session);
    for (const message of tellMessages(cli)) cli.output.warn(message);
  }

  const shown = await definition.run(cli, input);
  if (shown !== undefined) cli.output.result(shown.data, shown.text);
  if (isLook) return;
  touchSession(cli);
  keepHooksCurrent();
}

/** An option as the parser knows it, and how its value is read. */
interface ParsedOption {
  key: string;
  option: Option;
  parse: CommandOption<unknown>['parse'];
}

function parsedOption(
  key: string,
  declared: CommandOption<unknown>,
): ParsedOption {
  const { about, value, choices, conflicts, isValueOptional, parse } = declared;
  const shown = isValueOptional === true ? `[${value}]` : `<${value}>`;
  // `noOpen` → `--no-open`
  const words = key.replaceAll(
    /[A-Z]/g,
    (letter) => `-${letter.toLowerCase()}`,
  );
  const name = `--${words}`;
  const option = new Option(value === null ? name : `${name} ${shown}`, about)
    .makeOptionMandatory(declared.isRequired === true)
    .hideHelp(declared.isHidden === true);
  if (declared.isRepeatable === true) option.argParser(collect);
  if (choices !== undefined) option.choices(choices);
  if (conflicts !== undefined) option.conflicts(conflicts);
  return { key, option, parse };
}

function inputOf(command: Command, options: readonly ParsedOption[]): object {
  // The parser gives an option that the parent has as well to the parent.
  const parsed = command.optsWithGlobals<Record<string, unknown>>();
  const words = command.registeredArguments.map(
    (word, at): [string, unknown] => [word.name(), command.processedArgs[at]],
  );
  const values = options.map(({ key, option, parse }): [string, unknown] => {
    const value = parsed[option.attributeName()];
    const name = option.long ?? option.flags;
    const bad = (expected: string, entry = value): HoldfastError =>
      badValue(name, entry, expected);
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

const collect = (value: string, values: string[] = []): string[] => [
  ...values,
  value,
];
