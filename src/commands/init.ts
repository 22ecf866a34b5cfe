import { command } from './command.ts';
import { HOST_NAMES, isHostName, type HostName } from '../hosts/hosts.ts';
import { type Bad, choiceOption, flag, listOption } from './options.ts';

const scope = choiceOption(
  'for you in this project, for everyone in this project, or for you in all projects',
  'scope',
  ['local', 'project', 'user'],
);
const named = listOption(
  `the agent that it is for: ${HOST_NAMES.join(', ')} (default: claude)`,
  'host',
);
const host = {
  ...named,
  parse: (given: unknown, bad: Bad, name: string): HostName[] => {
    const hosts = named.parse(given, bad, name).map((each) => {
      if (isHostName(each)) return each;
      throw bad(`one of ${HOST_NAMES.join(', ')}`, each);
    });
    return hosts.length === 0 ? ['claude'] : hosts;
  },
};

export const init = command({
  usage: 'init',
  about:
    'register the hooks in Claude Code, with slash commands and a skill, or in another agent; run it again to update them',
  examples: [
    'holdfast init',
    'holdfast init --scope user --mcp --statusline',
    'holdfast init --host codex --host gemini',
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
  run: async (cli, { host: hosts, scope: place, ...input }) => {
    const { changeHosts } = await import('./install/other-host.ts');
    const { init: initClaude, withFound } = await import('./install/init.ts');
    const shown = changeHosts(cli, 'init', { ...input, hosts, scope: place }, () =>
      initClaude(cli, { ...input, scope: place ?? 'local' }),
    );
    return input.dryRun ? shown : withFound(cli, shown);
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
  run: async (cli, { host: hosts, scope: place, ...input }) => {
    const { changeHosts } = await import('./install/other-host.ts');
    const { uninstall: removeClaude } = await import('./install/uninstall.ts');
    return changeHosts(cli, 'uninstall', { ...input, hosts, scope: place }, () =>
      removeClaude(cli, { ...input, scope: place ?? 'local' }),
    );
  },
  show: (_cli, shown) => shown,
});
