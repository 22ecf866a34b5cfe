import type { Command } from 'commander';
import type { SyncOptions } from '../commands/sync.ts';
import { addCommand, type ProgramContext } from './define.ts';

const TIMEOUT = 'how long the remote may take to answer: 40s, 5m (default: 60s)';

/** The parser gives an option that `sync` has as well to `sync`, also if it stands after the name of a subcommand. */
function allOptions(command: Command): SyncOptions {
  return command.optsWithGlobals<SyncOptions>();
}

/** An option of `sync` alone would be ignored: `sync off --dry-run` would switch it off. */
function refuseOptionsOfSync(sync: Command, command: Command): void {
  for (const option of sync.options) {
    const isOwn = command.options.some(({ long }) => long === option.long);
    if (!isOwn && sync.getOptionValue(option.attributeName()) !== undefined)
      command.error(`error: unknown option '${option.long ?? option.flags}'`, {
        code: 'commander.unknownOption',
      });
  }
}

export function defineSync({ program, context }: ProgramContext): void {
  const sync = addCommand(
    program,
    'sync',
    'exchange runs with other machines and people through a git remote',
    ['holdfast sync on origin', 'holdfast sync', 'holdfast sync --dry-run'],
  )
    .option('--dry-run', 'show what would be sent, without asking the remote or sending anything')
    .option('--timeout <time>', TIMEOUT)
    .action(async (options, command: Command) => {
      const { sync: run } = await import('../commands/sync.ts');
      await run(context(command), options);
    });
  addCommand(
    sync,
    'on <remote>',
    'switch it on in this clone; shows what will leave this machine, and sends nothing yet',
    ['holdfast sync on origin'],
  )
    .option('--timeout <time>', TIMEOUT)
    .action(async (remote: string, _options, command: Command) => {
      const { switchOn } = await import('../commands/sync.ts');
      await switchOn(context(command), remote, allOptions(command));
    });
  addCommand(sync, 'off', 'switch it off in this clone; runs and refs stay', [
    'holdfast sync off',
  ]).action(async (_options, command: Command) => {
    const { switchOff } = await import('../commands/sync.ts');
    switchOff(context(command));
  });
  addCommand(
    sync,
    'status',
    'show what is in step and what is to be sent, without asking the remote',
    ['holdfast sync status --json'],
  ).action(async (_options, command: Command) => {
    const { showStatus } = await import('../commands/sync.ts');
    showStatus(context(command, { isLook: true }));
  });
  addCommand(
    sync,
    'prune',
    'remove runs that ended more than 30 days ago from the remote; archives stay',
    ['holdfast sync prune --dry-run'],
  )
    .option('--dry-run', 'name the runs without removing them')
    .option('--timeout <time>', TIMEOUT)
    .action(async (_options, command: Command) => {
      const { prune } = await import('../commands/sync.ts');
      await prune(context(command), allOptions(command));
    });
  sync.hook('preAction', (_sync, command) => {
    if (command !== sync) refuseOptionsOfSync(sync, command);
  });
  for (const command of sync.commands)
    command.configureHelp({
      ...command.configureHelp(),
      visibleGlobalOptions: () => [...program.options],
    });
}
