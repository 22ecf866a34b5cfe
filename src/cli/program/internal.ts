import type { Command } from 'commander';
import { addCommand, type ProgramContext } from './define.ts';

export function defineInternal({ program, context }: ProgramContext): void {
  addCommand(
    program,
    'statusline',
    'print one line about the run of the session that Claude Code describes on standard input',
    ['holdfast statusline --segment < input.json', 'holdfast init --statusline'],
  )
    .option('--segment', 'for tools that compose a status line: without the line break at the end')
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (options: { segment?: boolean }, { args }: Command) => {
      const { callHook } = await import('../commands/hook.ts');
      callHook(['statusline', ...(options.segment === true ? ['--segment'] : []), ...args]);
    });

  program
    .command('dashboard', { hidden: true })
    .description('what `holdfast` alone shows')
    .action(async (_options, command: Command) => {
      const { dashboard } = await import('../commands/dashboard.ts');
      dashboard(context(command, { isLook: true }));
    });

  program
    .command('fill', { hidden: true })
    .description('called by the module and the status line when the context fills up')
    .requiredOption('--percent <n>', 'of the automatic-compaction threshold')
    .action(async (options: { percent: string }, command: Command) => {
      const { fill } = await import('../commands/fill.ts');
      fill(context(command, { isLook: true }), options.percent);
    });

  addCommand(
    program,
    'hook [event]',
    'called by Claude Code with an event on standard input; always exits 0',
    ['holdfast hook < event.json'],
  ).action(async () => {
    const { callHook } = await import('../commands/hook.ts');
    callHook(process.argv.slice(2));
  });
  addCommand(program, 'mcp', 'MCP server on standard input and output, called by Claude Code', [
    'holdfast mcp < requests.jsonl',
    'holdfast init --mcp',
  ]).action(async () => {
    const { serveMcp } = await import('../commands/mcp.ts');
    serveMcp();
  });
}
