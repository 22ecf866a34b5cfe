import { command } from './command.ts';
import { HOST_NAMES } from '../hosts/hosts.ts';
import { choiceOption, flag } from './options.ts';

const scope = choiceOption(
  'for you in this project, for everyone in this project, or for you in all projects',
  'scope',
  ['local', 'project', 'user'],
);
const host = choiceOption('the agent that it is for', 'host', HOST_NAMES, 'claude');

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
    host,
    scope,
    mcp: flag('register the MCP server as well'),
    statusline: flag('show the run and the context fill in the status line, after your own'),
    dryRun: flag('print what would change without changing it'),
    verbose: flag('with --dry-run: print the diff'),
  },
  run: async (cli, { host: name, scope: place, ...input }) => {
    if (name === 'claude')
      return (await import('./install/init.ts')).init(cli, { ...input, scope: place ?? 'local' });
    const { changeHost } = await import('./install/other-host.ts');
    return changeHost(cli, 'init', { ...input, host: name, scope: place });
  },
  show: (_cli, shown) => shown,
});

export const uninstall = command({
  usage: 'uninstall',
  about: 'remove exactly what init installed; state files stay',
  examples: ['holdfast uninstall', 'holdfast uninstall --scope user --dry-run'],
  agent: 'asked',
  options: {
    host,
    scope,
    dryRun: flag('print what would change without changing it'),
    verbose: flag('with --dry-run: print the diff'),
  },
  run: async (cli, { host: name, scope: place, ...input }) => {
    if (name === 'claude') {
      const { uninstall: remove } = await import('./install/uninstall.ts');
      return remove(cli, { ...input, scope: place ?? 'local' });
    }
    const { changeHost } = await import('./install/other-host.ts');
    return changeHost(cli, 'uninstall', { ...input, host: name, scope: place });
  },
  show: (_cli, shown) => shown,
});
