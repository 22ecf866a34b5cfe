import { HOSTS } from '../../hosts/hosts.ts';
import { homeFolder, programFile, runtimeFolder, scriptFile } from '../../files/environment.ts';
import { install, uninstall } from '../../install/apply.ts';
import type { InstallState, Plan } from '../../install/draft.ts';
import { commandFor, isOnPath, portableCommand } from '../../install/host-commands.ts';
import {
  hostFile,
  openCodePlugin,
  planHostInit,
  planHostUninstall,
  type OtherHost,
} from '../../install/other-hosts.ts';
import { requireRecord } from '../../install/record.ts';
import { HoldfastError } from '../../text/holdfast-error.ts';
import { version } from '../../text/version.ts';
import type { Shown } from '../command.ts';
import { nodeProgram, packageFolder, userConfig } from '../view/installation.ts';
import type { CommandContext } from '../view/output.ts';
import { changeLines } from './install-summary.ts';
import { changedFile, displayPath, formatPatch } from './patch.ts';

interface HostOptions {
  host: OtherHost;
  scope: string | undefined;
  dryRun: boolean;
  verbose: boolean;
}

/** `init --host` and `uninstall --host`: one file of the host, and the copy of holdfast that its hooks run. */
export function changeHost(
  cli: CommandContext,
  action: 'init' | 'uninstall',
  { host, scope = 'user', dryRun, verbose }: HostOptions,
): Shown {
  const { title } = HOSTS[host];
  if (scope === 'local')
    throw new HoldfastError('no_such_scope', `${title} has no settings of your own in a project`, {
      hint: 'use --scope user, for you in all projects, or --scope project, for everyone in this one',
    });
  const config = userConfig();
  const [home, root] = [homeFolder(), scope === 'user' ? null : cli.root];
  const where = { host, root, home, environment: process.env };
  const runtime = runtimeFolder(config);
  const plugin = openCodePlugin(nodeProgram(), programFile(runtime));
  const command = root === null ? commandFor(scriptFile(runtime)) : portableCommand();
  const makePlan = (known: InstallState): Plan =>
    action === 'init'
      ? planHostInit({ ...known, ...where, command, plugin })
      : planHostUninstall({ ...known, ...where });
  const carryOut = (): Plan =>
    action === 'init'
      ? install(config, { folder: packageFolder(), version }, makePlan).plan
      : uninstall(config, makePlan);
  const plan = dryRun ? makePlan({ record: requireRecord(config), made: [] }) : carryOut();
  const { changes } = plan;
  const file = displayPath(cli, hostFile(where));
  return {
    data: { host, scope, changes: changes.map(changedFile), file, dry_run: dryRun },
    text: dryRun
      ? `${verbose ? formatPatch(cli, changes) : ['Would change:', ...changeLines(cli, changes)].join('\n')}\nNothing was written.`
      : [
          ...(changes.length === 0
            ? [`Nothing had to change for ${title} (scope ${scope}).`]
            : [
                `${action === 'init' ? 'Installed' : 'Removed'} holdfast for ${title} (scope ${scope}).`,
                ...changeLines(cli, changes),
              ]),
          ...(action === 'init' ? nextLines(host, scope) : []),
        ].join('\n'),
    ...(dryRun ? { isExact: true } : {}),
  };
}

function nextLines(host: HostOptions['host'], scope: string): string[] {
  const option = scope === 'user' ? '' : ` --scope ${scope}`;
  return [
    '',
    ...(host === 'codex'
      ? [
          'Next: start `codex` once and choose "Trust all and continue": Codex runs no hook that you have not trusted, and says nothing about it.',
        ]
      : []),
    ...(isOnPath('holdfast', process.env['PATH'])
      ? []
      : ['Its agent calls `holdfast`, which a shell does not find yet: npm install -g holdfast.']),
    `Check: \`holdfast doctor --host ${host}\``,
    `Remove: \`holdfast uninstall --host ${host}${option}\``,
  ];
}

/** The other hosts that the user or the project has, for a line in what `init` prints. */
export function otherHosts(isThere: (path: string) => boolean, root: string): string[] {
  const where = { home: homeFolder(), environment: process.env };
  const names: HostOptions['host'][] = ['codex', 'qwen', 'gemini', 'opencode'];
  return names.filter((host) =>
    [root, null].some((folder) => {
      const file = hostFile({ ...where, host, root: folder });
      return isThere(file.slice(0, -HOSTS[host].file.length));
    }),
  );
}
