import { Option, type Command } from 'commander';
import { createContext, type GlobalOptions } from '../context.ts';
import type { DoctorOptions } from '../commands/doctor.ts';
import { makeOutput } from '../output/output.ts';
import { addCommand, type ProgramContext } from './define.ts';

const scope = (): Option =>
  new Option(
    '--scope <scope>',
    'for you in this project, for everyone in this project, or for you in all projects',
  )
    .choices(['local', 'project', 'user'])
    .default('local');

export function defineInstall({ program, context }: ProgramContext): void {
  addCommand(
    program,
    'init',
    'register the hooks in Claude Code, with slash commands, a skill and permission rules; run it again to update them',
    [
      'holdfast init',
      'holdfast init --scope user --mcp --statusline',
      'holdfast init --dry-run --verbose',
    ],
  )
    .addOption(scope())
    .option('--mcp', 'register the MCP server as well')
    .option('--statusline', 'show the run and the context fill in the status line, after your own')
    .option('--dry-run', 'print what would change without changing it')
    .option('--verbose', 'with --dry-run: print the diff')
    .action(async (options, command: Command) => {
      const { init } = await import('../commands/init.ts');
      init(context(command), options);
    });

  addCommand(program, 'uninstall', 'remove exactly what init installed; state files stay', [
    'holdfast uninstall',
    'holdfast uninstall --scope user --dry-run',
  ])
    .addOption(scope())
    .option('--dry-run', 'print what would change without changing it')
    .option('--verbose', 'with --dry-run: print the diff')
    .action(async (options, command: Command) => {
      const { uninstall } = await import('../commands/uninstall.ts');
      uninstall(context(command), options);
    });
}

export function defineCheck({ program }: ProgramContext): void {
  addCommand(
    program,
    'doctor',
    'check that holdfast works here; every finding has a fix; writes nothing without --fix',
    ['holdfast doctor', 'holdfast doctor --verbose', 'holdfast doctor --fix'],
  )
    .option(
      '--fix',
      'repair what is safe to repair: stale locks, leftover files, a missing .gitignore',
    )
    .option('--verbose', 'show every check with its evidence, also if all is well')
    .action(async (options: DoctorOptions, command: Command) => {
      const { doctor } = await import('../commands/doctor.ts');
      const shared = command.optsWithGlobals<GlobalOptions>();
      // `context` would record the session as seen, but this command must not write.
      doctor(createContext(shared, makeOutput(shared.json === true)), options);
    });
}
