import { Option, type Command } from 'commander';
import { addCommand, type ProgramContext } from './define.ts';
import type { StatusCommandOptions } from '../commands/status.ts';
import type { UiOptions } from '../commands/ui.ts';

export function defineStatus({ program, context }: ProgramContext): void {
  addCommand(
    program,
    'status [run]',
    'show where the run stands, and which required files are unread',
    ['holdfast status', 'holdfast status user-auth --json'],
  )
    .option('--look', 'change nothing: request no context action, do not mark the session as seen')
    .addOption(new Option('--prompted <position>').hideHelp())
    .addOption(new Option('--module <version>').hideHelp())
    .action(async (run: string | undefined, options: StatusCommandOptions, command: Command) => {
      const { status } = await import('../commands/status.ts');
      status(context(command, { isLook: options.look === true }), run, options);
    });
}

export function defineInspect({ program, context }: ProgramContext): void {
  addCommand(program, 'list', 'list the runs in this project', ['holdfast list --all'])
    .option('--all', 'include archived runs')
    .action(async (options, command: Command) => {
      const { list } = await import('../commands/list.ts');
      list(context(command), options);
    });

  addCommand(program, 'show [run]', 'print everything that is stored about a run', [
    'holdfast show user-auth',
  ]).action(async (run: string | undefined, _options, command: Command) => {
    const { show } = await import('../commands/show.ts');
    show(context(command), run);
  });

  addCommand(program, 'history [run]', 'show what happened to a run, and in which sessions', [
    'holdfast history user-auth',
  ]).action(async (run: string | undefined, _options, command: Command) => {
    const { history } = await import('../commands/history.ts');
    history(context(command), run);
  });
}

export function defineTransfer({ program, context }: ProgramContext): void {
  addCommand(program, 'prime', 'load the critical artifacts of the run now and print them', [
    'holdfast prime',
    'holdfast prime --artifacts spec,plan --force',
    'holdfast prime --dry-run',
  ])
    .option('--run <run>', 'the run to load them for')
    .addOption(new Option('--run-id <run>').hideHelp())
    .option('--artifacts <ids>', 'only these, separated by commas')
    .option('--force', 'load again what was loaded a moment ago')
    .option('--dry-run', 'show what would be loaded and why')
    .option('--max-chars <n>', 'maximum number of characters to print (default: 25000)')
    .action(async (options, command: Command) => {
      const { prime } = await import('../commands/prime.ts');
      prime(context(command), options);
    });

  addCommand(program, 'export [run]', 'print one run as one file', [
    'holdfast export user-auth > user-auth.json',
  ]).action(async (run: string | undefined, _options, command: Command) => {
    const { printExport } = await import('../commands/export.ts');
    printExport(context(command), run);
  });

  addCommand(
    program,
    'import <file>',
    'import a run that was exported elsewhere; - reads standard input',
    ['holdfast import user-auth.json', 'holdfast import user-auth.json --force'],
  )
    .option('--force', 'replace the run here even if it moved on; its state is archived')
    .action(async (file: string, options, command: Command) => {
      const { importFile } = await import('../commands/import.ts');
      importFile(context(command), file, options);
    });

  addCommand(
    program,
    'guidance [run]',
    'print exactly what a session would be given; writes nothing',
    ['holdfast guidance', 'holdfast guidance user-auth --source clear --explain'],
  )
    .addOption(
      new Option('--source <source>', 'how the session starts')
        .choices(['compact', 'clear', 'resume', 'startup', 'fork'])
        .default('compact'),
    )
    .option('--explain', 'show why this run, what each section costs and what was left out')
    .action(async (run: string | undefined, options, command: Command) => {
      const { guidance } = await import('../commands/guidance.ts');
      guidance(context(command), run, options);
    });
}

export function defineUi({ program, context }: ProgramContext): void {
  addCommand(
    program,
    'ui',
    'show the runs of this project on a local, read-only page, live, until you press Ctrl-C',
    ['holdfast ui', 'holdfast ui --port 4600 --no-open'],
  )
    .option('--port <n>', 'the port on 127.0.0.1 (default: any free one)')
    .option('--no-open', 'print the address without opening a browser')
    .action(async (options: UiOptions, command: Command) => {
      const { ui } = await import('../commands/ui.ts');
      await ui(context(command, { isLook: true }), options);
    });
}
