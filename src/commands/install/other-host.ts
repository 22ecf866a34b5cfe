import { join } from 'node:path';
import fse from 'fs-extra';
import { HOSTS, type HostName } from '../../hosts/hosts.ts';
import {
  homeFolder,
  PLUGIN_FILE,
  programFile,
  runtimeFolder,
  scriptFile,
} from '../../files/environment.ts';
import type { InstallState, Plan } from '../../install/draft.ts';
import { commandFor, isOnPath, portableLine } from '../../install/host-commands.ts';
import {
  HOST_FILES,
  hostFile,
  openCodePlugin,
  planHostInit,
  planHostUninstall,
  type OtherHost,
} from '../../install/other-hosts.ts';
import { HoldfastError } from '../../text/holdfast-error.ts';
import { shellQuote } from '../../text/shell-commands.ts';
import type { Shown } from '../command.ts';
import { carryOut, changeLines, changedFile, dryRunText } from './changes.ts';
import { nodeProgram, packageFolder, userConfig } from '../view/installation.ts';
import type { CommandContext } from '../view/output.ts';

interface HostOptions {
  host: OtherHost;
  scope: string | undefined;
  dryRun: boolean;
  verbose: boolean;
}

/** `init --host` and `uninstall --host`, for one or more of them; `ofClaude` does it for Claude Code. */
export function changeHosts(
  cli: CommandContext,
  action: 'init' | 'uninstall',
  { hosts, ...options }: Omit<HostOptions, 'host'> & { hosts: readonly HostName[] },
  ofClaude: () => Shown,
): Shown {
  const done = hosts.map((host) =>
    host === 'claude' ? ofClaude() : changeHost(cli, action, { ...options, host }),
  );
  const [first, ...others] = done;
  if (first !== undefined && others.length === 0) return first;
  const text = done.map((each) => each.text).join('\n\n');
  return { data: { hosts: done.map(({ data }) => data) }, text, isExact: true };
}

/** One file of the host, and the copy of holdfast that its hooks run. */
function changeHost(
  cli: CommandContext,
  action: 'init' | 'uninstall',
  { host, scope = 'user', dryRun, verbose }: HostOptions,
): Shown {
  const { title } = HOSTS[host];
  // The plugin of OpenCode names the holdfast of one user.
  const isPersonal = host === 'opencode';
  if (scope === 'local' || (scope === 'project' && isPersonal))
    throw new HoldfastError('no_such_scope', `${title} has no scope ${scope}`, {
      hint: `use --scope user, for you in all projects${isPersonal ? '' : ', or --scope project, for everyone in this one'}`,
    });
  const [home, root] = [homeFolder(), scope === 'user' ? null : cli.root];
  const where = { host, root, home, environment: process.env };
  const runtime = runtimeFolder(userConfig());
  const file = join(packageFolder(), PLUGIN_FILE);
  const built = host === 'opencode' ? fse.readFileSync(file, 'utf8') : '';
  const plugin = openCodePlugin(built, nodeProgram(), programFile(runtime));
  const command = root === null ? commandFor(scriptFile(runtime)) : portableLine;
  const makePlan = (known: InstallState): Plan =>
    action === 'init'
      ? planHostInit({ ...known, ...where, command, plugin })
      : planHostUninstall({ ...known, ...where });
  const { changes } = carryOut(action, dryRun, makePlan).plan;
  return {
    data: { host, scope, changes: changes.map(changedFile), dry_run: dryRun },
    text: dryRun
      ? dryRunText(cli.cwd, changes, verbose)
      : [
          ...(changes.length === 0
            ? [`Nothing had to change for ${title} (scope ${scope}).`]
            : [
                `${action === 'init' ? 'Installed' : 'Removed'} holdfast for ${title} (scope ${scope}).`,
                ...changeLines(cli.cwd, changes),
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
      : [
          `Its agent calls \`holdfast\`, which a shell does not find yet: npm install -g ${shellQuote(packageFolder())}`,
        ]),
    `Check: \`holdfast doctor --host ${host}\``,
    `Remove: \`holdfast uninstall --host ${host}${option}\``,
  ];
}

/** A line for what `init` prints, if the user or the project has other agents; null if not. */
export function otherHostsLine(root: string): string | null {
  const where = { home: homeFolder(), environment: process.env };
  const names: HostOptions['host'][] = ['codex', 'qwen', 'gemini', 'opencode'];
  const found = names.filter((host) =>
    [root, null].some((folder) => {
      const file = hostFile({ ...where, host, root: folder });
      return fse.existsSync(file.slice(0, -HOST_FILES[host].file.length));
    }),
  );
  if (found.length === 0) return null;
  const titles = found.map((host) => HOSTS[host].title).join(', ');
  const options = found.map((host) => ` --host ${host}`).join('');
  return `Also here: ${titles}; \`holdfast init${options}\` is for them.`;
}
