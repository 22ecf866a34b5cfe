import { basename, dirname, join } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import fse from 'fs-extra';
import {
  homeFolder,
  PLUGIN_FILE,
  programFile,
  runtimeFolder,
} from '../../files/environment.ts';
import { HOSTS } from '../../hosts/hosts.ts';
import { install, uninstall } from '../../install/apply.ts';
import type { Change, InstallState, Plan } from '../../install/draft.ts';
import { findOnPath, nodeProgram } from '../../files/is-executable.ts';
import { installedCommand } from '../../install/host-commands.ts';
import {
  openCodePlugin,
  planHostInit,
  planHostUninstall,
  type OtherHost,
} from '../../install/other-hosts.ts';
import type { Scope } from '../../install/places.ts';
import { requireRecord } from '../../install/record.ts';
import { HoldfastError } from '../../text/holdfast-error.ts';
import { escapeInvisible, withoutHostTags } from '../../text/sanitize.ts';
import { shellQuote } from '../../text/shell-commands.ts';
import { version } from '../../text/version.ts';
import type { Shown } from '../command.ts';
import type { ChangedFile, HostChangeDocument } from '../json/documents.ts';
import { packageFolder, userConfig } from '../view/installation.ts';
import { type CommandContext, shownPath } from '../view/output.ts';

/** The plan, carried out unless this is a dry run; `isNew`: the copy of holdfast that the hooks run was replaced. */
export function carryOut(
  action: 'init' | 'uninstall',
  dryRun: boolean,
  makePlan: (state: InstallState) => Plan,
): { plan: Plan; isNew: boolean } {
  const config = userConfig();
  if (dryRun)
    return {
      plan: makePlan({ record: requireRecord(config), made: [] }),
      isNew: false,
    };
  return action === 'init'
    ? install(config, { folder: packageFolder(), version }, makePlan)
    : { plan: uninstall(config, makePlan), isNew: false };
}

export function changedFile({ path, before, after }: Change): ChangedFile {
  if (after === null) return { path, action: 'removed' };
  return { path, action: before === null ? 'created' : 'changed' };
}

/** The changed files, a line for each folder in which several are treated alike. */
export function changeLines(cwd: string, changes: readonly Change[]): string[] {
  const groups = new Map<string, string[]>();
  for (const change of changes) {
    const { path, action } = changedFile(change);
    const key = `  ${action.padEnd(8)} ${dirname(path)}`;
    groups.set(key, [...(groups.get(key) ?? []), path]);
  }
  return [...groups].map(([key, paths]) => {
    const [first = ''] = paths;
    const action = key.slice(0, 11);
    if (paths.length === 1) return `${action}${shownPath(cwd, first)}`;
    const names = paths.map((path) => basename(path)).join(', ');
    return `${action}${shownPath(cwd, dirname(first))}: ${names}`;
  });
}

export function dryRunText(
  cwd: string,
  changes: readonly Change[],
  isVerbose: boolean,
  more: readonly string[] = [],
): string {
  if (changes.length === 0) return 'Nothing would change.';
  if (isVerbose) return `${formatPatch(cwd, changes)}\nNothing was written.`;
  const lines = ['Would change:', ...changeLines(cwd, changes), ...more];
  return [...lines, 'Nothing was written; `--verbose` shows the diff.'].join(
    '\n',
  );
}

function formatPatch(cwd: string, changes: readonly Change[]): string {
  const patches = changes.map(({ path, before, after, isPrivate }) => {
    const shown = shownPath(cwd, path);
    const names = [before, after].map((text) =>
      text === null ? '/dev/null' : shown,
    );
    const [from = '', to = ''] = names;
    // Lines near ours in the host's own file may contain secrets.
    const options = { context: isPrivate ? 0 : 3 };
    const patch = createTwoFilesPatch(
      from,
      to,
      before ?? '',
      after ?? '',
      '',
      '',
      options,
    );
    return patch.replace(/^(?:Index: .*\n)?=+\n/, '');
  });
  return patches
    .join('\n')
    .split(/(\r?\n|\t)/)
    .map((part, index) =>
      index % 2 === 0 ? withoutHostTags(escapeInvisible(part)) : part,
    )
    .join('');
}

export type HostOptions = {
  scope: Scope | undefined;
  dryRun: boolean;
  verbose: boolean;
};

/** One file of the host, and the copy of holdfast that its hooks run. */
export function changeHost(
  cli: CommandContext,
  action: 'init' | 'uninstall',
  host: OtherHost,
  { scope = 'user', dryRun, verbose }: HostOptions,
): Shown<HostChangeDocument> {
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
  const command = installedCommand(userConfig(), root !== null);
  const makePlan = (state: InstallState): Plan =>
    action === 'init'
      ? planHostInit({ ...state, ...where, command, plugin })
      : planHostUninstall({ ...state, ...where });
  const { changes } = carryOut(action, dryRun, makePlan).plan;
  const data = {
    host,
    scope,
    changes: changes.map(changedFile),
    dry_run: dryRun,
  };
  if (dryRun) return { data, text: dryRunText(cli.cwd, changes, verbose) };
  const verb = action === 'init' ? 'Installed' : 'Removed';
  const done =
    changes.length === 0 ? 'Nothing had to change' : `${verb} holdfast`;
  const next = action === 'init' ? nextLines(host, scope) : [];
  const lines = [
    `${done} for ${title} (scope ${scope}).`,
    ...changeLines(cli.cwd, changes),
    ...next,
  ];
  return { data, text: lines.join('\n') };
}

function nextLines(host: OtherHost, scope: string): string[] {
  const option = scope === 'user' ? '' : ` --scope ${scope}`;
  const trust =
    'Next: start `codex` once and choose "Trust all and continue": Codex runs no hook that you have not trusted, and says nothing about it.';
  const missing = `Its agent calls \`holdfast\`, which a shell does not find yet: npm install -g ${shellQuote(packageFolder())}`;
  return [
    '',
    ...(host === 'codex' ? [trust] : []),
    ...(findOnPath('holdfast', process.env['PATH']) === null ? [missing] : []),
    `Check: \`holdfast doctor --host ${host}\``,
    `Remove: \`holdfast uninstall --host ${host}${option}\``,
  ];
}
