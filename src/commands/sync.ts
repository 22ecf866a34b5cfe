import { command, type Shown } from './command.ts';
import { flag, parsedOption } from './options.ts';
import { durationFrom } from './run.ts';

/** The code that talks to git is loaded only when it is used. */
const load = () => import('./sync/sync-runs.ts');
const show = (_cli: unknown, shown: Shown): Shown => shown;

const timeout = parsedOption(
  'how long the remote may take to answer: 40s, 5m (default: 60s)',
  'time',
  durationFrom,
);

const on = command({
  usage: 'on <remote>',
  about: 'switch it on in this clone; shows what will leave this machine, and sends nothing yet',
  examples: ['holdfast sync on origin'],
  options: { timeout },
  run: async (cli, input) => (await load()).switchOn(cli, input.remote, input.timeout),
  show,
});

const off = command({
  usage: 'off',
  about: 'switch it off in this clone; runs and refs stay',
  examples: ['holdfast sync off'],
  run: async (cli) => (await load()).switchOff(cli),
  show,
});

const status = command({
  usage: 'status',
  about: 'show what is in step and what is to be sent, without asking the remote',
  examples: ['holdfast sync status --json'],
  isLook: true,
  run: async (cli) => (await load()).showStatus(cli),
  show,
});

const prune = command({
  usage: 'prune',
  about: 'remove runs that ended more than 30 days ago from the remote; archives stay',
  examples: ['holdfast sync prune --dry-run'],
  options: { dryRun: flag('name the runs without removing them'), timeout },
  run: async (cli, input) => (await load()).prune(cli, input.dryRun, input.timeout),
  show,
});

export const sync = command({
  usage: 'sync',
  about: 'exchange runs with other machines and people through a git remote',
  examples: ['holdfast sync on origin', 'holdfast sync', 'holdfast sync --dry-run'],
  agent: 'asked',
  options: {
    dryRun: flag('show what would be sent, without asking the remote or sending anything'),
    timeout,
  },
  run: async (cli, input) => {
    const code = await load();
    return input.dryRun ? code.showDryRun(cli) : code.sync(cli, input.timeout);
  },
  show,
  subcommands: [on, off, status, prune],
});
