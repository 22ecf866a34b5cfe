import { Command, CommanderError } from 'commander';
import { createContext, type CommandContext, type GlobalOptions } from '../context.ts';
import type { ProgramContext } from './define.ts';
import { write } from '../../io/write-output.ts';
import { makeOutput } from '../output/output.ts';
import { packageFolder, keepHooksCurrent } from '../installation.ts';
import { maySync } from '../../remote/may-sync.ts';
import { takenOverNotices } from '../../operations/told.ts';
import { touchSession } from '../../operations/heartbeat.ts';
import { versionReport, versionText } from '../output/version-text.ts';
import { version } from '../../util/version.ts';
import { GroupedHelp } from './groups.ts';
import { defineDrive } from './drive.ts';
import { defineInspect, defineStatus, defineTransfer, defineUi } from './inspect.ts';
import { defineCheck, defineInstall } from './install.ts';
import { defineInternal } from './internal.ts';
import { defineApproval, defineProgress } from './progress.ts';
import { defineEdit, defineStart } from './runs.ts';
import { defineSync } from './sync.ts';
import { defineTemplates } from './templates.ts';
import { defineTodo } from './todo.ts';

const DEFINITIONS = [
  defineInstall,
  defineStart,
  defineStatus,
  defineProgress,
  defineApproval,
  defineDrive,
  defineEdit,
  defineInspect,
  defineUi,
  defineTransfer,
  defineSync,
  defineTodo,
  defineTemplates,
  defineCheck,
  defineInternal,
];

/** All commands, in the order in which the help lists them. */
export function makeProgram(): Command {
  const program = new Command('holdfast')
    .description(
      'Keeps long, multi-phase work in Claude Code alive across compaction, /clear, resumes and machines.\nWithout a command it shows the run in progress and what to type next.',
    )
    .option('-V, --version', 'print the version of holdfast and Node, and where holdfast runs from')
    .on('option:version', () => {
      const report = versionReport(version, process, packageFolder());
      // The parser may not have come to --json yet.
      makeOutput(process.argv.includes('--json')).result(report, versionText(report));
      throw new CommanderError(0, 'commander.version', version);
    })
    .option('--cwd <dir>', 'run as if started in this folder')
    .option('--json', 'print the result as JSON')
    .option('--session <id>', 'the Claude Code session to act for (default: the one it runs in)')
    .helpCommand('help [command]', 'show how to use a command')
    .configureHelp({ sortSubcommands: false, showGlobalOptions: true, minWidthToWrap: 12 })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => write(1, text),
      // Nothing but the help of an unknown command, which would hide the error.
      writeErr: () => {},
      // Printed with all other errors, in the same form.
      outputError: () => {},
    });

  program.createHelp = () => Object.assign(new GroupedHelp(), program.configureHelp());
  program.addHelpText(
    'after',
    '\n`holdfast <command> --help` shows the options of a command, with examples.',
  );

  let current: CommandContext | null = null;
  const context: ProgramContext['context'] = (command, { isLook } = { isLook: false }) => {
    const options = command.optsWithGlobals<GlobalOptions>();
    const created = createContext(options, makeOutput(options.json === true));
    current = isLook ? null : created;
    if (!isLook && created.session !== null && maySync(created.root))
      for (const notice of takenOverNotices(created)) created.output.warn(notice);
    return created;
  };
  program.hook('postAction', async () => {
    if (current === null) return;
    touchSession(current);
    await keepHooksCurrent();
  });

  for (const define of DEFINITIONS) define({ program, context });
  return program;
}
