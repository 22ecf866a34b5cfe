import { HoldfastError } from '../../errors/holdfast-error.ts';
import { disk } from '../../install/disk.ts';
import { commandFor, portableCommand } from '../../install/plan/hook-command.ts';
import { install } from '../../install/install.ts';
import { invocationFor, isOnPath } from '../../install/plan/invocation.ts';
import { planInit } from '../../install/plan/plan.ts';
import { readRecord } from '../../install/record/record-file.ts';
import { runtimeFolder, hookFile, programFile } from '../../io/runtime-paths.ts';
import type { Scope } from '../../install/plan/scopes.ts';
import { portableServer, serverFor } from '../../install/plan/server-entry.ts';
import type { InstallState, Plan } from '../../install/types.ts';
import type { CommandContext } from '../context.ts';
import { changedFile, formatPatch, displayPath } from '../output/patch.ts';
import { userConfig, userFile, warnAboutRecords } from '../installation.ts';
import { packageFolder } from '../package-folder.ts';
import { pluginHere, type PluginHere } from '../installed-plugin.ts';
import { version } from '../version.ts';

export interface InitOptions {
  scope: Scope;
  mcp?: boolean;
  dryRun?: boolean;
}

export function init(cli: CommandContext, options: InitOptions): void {
  const { scope, dryRun } = options;
  const config = userConfig();
  const plugin = pluginHere(cli.root, config, scope);
  refuseIfNothingIsLeft(cli, options, plugin);
  const hasPlugin = plugin?.isEnough === true;
  const draw = (known: InstallState): Plan =>
    planFor(cli, { scope, config, hasPlugin, withServer: options.mcp === true }, known);
  if (dryRun === true) {
    const { installs, damaged } = readRecord(config);
    const plan = draw({ installs, isComplete: damaged.length === 0, made: [] });
    const patch = formatPatch(cli, plan.changes);
    const runtime = `Hooks would run from ${runtimeFolder(config)}.`;
    cli.output.result(
      { ...reportOf(scope, config, plan), dry_run: true },
      patch === ''
        ? `Nothing would change. ${runtime}`
        : `${patch}\n${runtime} Nothing was written.`,
    );
    return;
  }
  const runtime = { folder: packageFolder(), version };
  const { plan, isNew, damaged } = install(config, runtime, draw);
  warnAbout(cli, scope, plan);
  if (plugin?.isEnough === false)
    cli.output.warn(
      `the plugin ${plugin.name} is on here too, for you: of two calls of a hook the second does nothing`,
    );
  warnAboutRecords(cli, config, damaged);
  cli.output.result(
    { ...reportOf(scope, config, plan), dry_run: false },
    words(cli, scope, plan, isNew),
  );
}

/** A plugin brings hooks, slash commands and skill; what it does not bring is installed beside it. */
function refuseIfNothingIsLeft(
  { settings }: CommandContext,
  { scope, mcp }: InitOptions,
  plugin: PluginHere | null,
): void {
  if (plugin?.isEnough !== true || mcp === true || settings.reading.enforce === 'block') return;
  throw new HoldfastError({ code: 'plugin_does_it', plugin: plugin.name, scope });
}

interface Wanted {
  scope: Scope;
  config: string;
  hasPlugin: boolean;
  withServer: boolean;
}

function planFor(
  cli: CommandContext,
  { scope, config, ...wanted }: Wanted,
  known: InstallState,
): Plan {
  const { root, settings } = cli;
  const home = runtimeFolder(config);
  const node = isOnPath('node', process.env['PATH']) ? 'node' : process.execPath;
  return planInit({
    ...known,
    ...wanted,
    scope,
    root,
    config,
    hostFile: userFile(),
    disk,
    command: scope === 'project' ? portableCommand() : commandFor(hookFile(home), node),
    isBlocking: settings.reading.enforce === 'block',
    server: scope === 'project' ? portableServer() : serverFor(programFile(home), node),
    invocation: invocationFor(scope, { node, program: programFile(home), root }),
  });
}

function reportOf(scope: Scope, config: string, plan: Plan): object {
  const { changes, backups, kept, foreign } = plan;
  return {
    scope,
    changes: changes.map(changedFile),
    kept: [...kept, ...foreign],
    backups: backups.map(({ path }) => path),
    runtime: runtimeFolder(config),
  };
}

function warnAbout(cli: CommandContext, scope: Scope, plan: Plan): void {
  const { changes, kept, foreign, foreignServers } = plan;
  for (const path of kept)
    cli.output.warn(`${displayPath(cli, path)} was changed by hand and is left as it is`);
  for (const path of foreign)
    cli.output.warn(`${displayPath(cli, path)} is not holdfast's and is left as it is`);
  for (const path of foreignServers)
    cli.output.warn(
      `${displayPath(cli, path)} has an MCP server "holdfast" that init did not write: it is left as it is`,
    );
  if (scope === 'project') return;
  for (const { path, before } of changes) {
    if (before !== null && disk.isTracked(path))
      cli.output.warn(`git tracks ${displayPath(cli, path)}, so it shows the change`);
  }
}

function words(
  cli: CommandContext,
  scope: Scope,
  { changes, backups }: Plan,
  isNew: boolean,
): string {
  if (changes.length === 0) {
    const now = isNew ? ' Its files were brought up to date.' : '';
    return `holdfast is installed already (scope ${scope}); nothing had to change.${now}`;
  }
  const lines = changes.map((change) => {
    const { path, action } = changedFile(change);
    return `  ${action.padEnd(8)} ${displayPath(cli, path)}`;
  });
  const saved = backups.map(({ path }) => `  saved    ${path}`);
  const share = scope === 'project' ? 'Commit these files so that others get the hooks too.\n' : '';
  return [
    `Installed holdfast (scope ${scope}).`,
    ...lines,
    ...saved,
    '',
    `${share}Claude Code reads them when it starts: begin a new session, then \`holdfast doctor\` shows whether the hooks fire.`,
  ].join('\n');
}
