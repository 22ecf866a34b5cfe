import { Argument, type Command } from 'commander';
import type { GlobalOptions } from '../context.ts';
import type { Shell } from '../commands/completion.ts';
import type { WordKind } from '../commands/completion-words.ts';
import type { StatusLineOptions } from '../statusline/status-line.ts';
import { addCommand, type ProgramContext } from './define.ts';

export function defineInternal({ program, context, outputOf }: ProgramContext): void {
  addCommand(program, 'completion', 'print a completion script for a shell', [
    'source <(holdfast completion bash)',
    'source <(holdfast completion zsh)',
    'mkdir -p ~/.config/fish/completions && holdfast completion fish > ~/.config/fish/completions/holdfast.fish',
  ])
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: Shell, _options, command: Command) => {
      const { completion } = await import('../commands/completion.ts');
      completion(outputOf(command), program, shell);
    });
  program
    .command('completion-words', { hidden: true })
    .description('called by the completion scripts')
    .addArgument(new Argument('<kind>').choices(['runs', 'templates']))
    .action(async (kind: WordKind, _options, command: Command) => {
      const { completionWords } = await import('../commands/completion-words.ts');
      completionWords(command.optsWithGlobals<GlobalOptions>(), outputOf(command), kind);
    });

  addCommand(
    program,
    'statusline',
    'print one line about the run of the session that Claude Code describes on standard input',
    ['holdfast statusline --segment < input.json', 'holdfast init --statusline'],
  )
    .option('--segment', 'for tools that compose a status line: without the line break at the end')
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (options: StatusLineOptions, { args }: Command) => {
      const { statusline } = await import('../commands/statusline.ts');
      statusline({ ...options, unknown: args });
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
    callHook();
  });
  addCommand(program, 'mcp', 'MCP server on standard input and output, called by Claude Code', [
    'holdfast mcp < requests.jsonl',
    'holdfast init --mcp',
  ]).action(async () => {
    const { serveMcp } = await import('../commands/mcp.ts');
    serveMcp();
  });
}
