import { command } from './command.ts';
import { choiceOption, flag } from './options.ts';

const scope = choiceOption(
  'for you in this project, for everyone in this project, or for you in all projects',
  'scope',
  ['local', 'project', 'user'],
  'local',
);

export const init = command({
  usage: 'init',
  about:
    'register the hooks in Claude Code, with slash commands and a skill; run it again to update them',
  examples: [
    'holdfast init',
    'holdfast init --scope user --mcp --statusline',
    'holdfast init --dry-run --verbose',
  ],
  agent: 'asked',
  options: {
    scope,
    mcp: flag('register the MCP server as well'),
    statusline: flag('show the run and the context fill in the status line, after your own'),
    dryRun: flag('print what would change without changing it'),
    verbose: flag('with --dry-run: print the diff'),
  },
  run: async (cli, input) => (await import('./install/init.ts')).init(cli, input),
  show: (_cli, shown) => shown,
});

export const uninstall = command({
  usage: 'uninstall',
  about: 'remove exactly what init installed; state files stay',
  examples: ['holdfast uninstall', 'holdfast uninstall --scope user --dry-run'],
  agent: 'asked',
  options: {
    scope,
    dryRun: flag('print what would change without changing it'),
    verbose: flag('with --dry-run: print the diff'),
  },
  run: async (cli, input) => (await import('./install/uninstall.ts')).uninstall(cli, input),
  show: (_cli, shown) => shown,
});
