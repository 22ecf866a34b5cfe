import { HoldfastError } from '../../errors/holdfast-error.ts';
import { disk } from '../../install/disk.ts';
import { commandFor, portableCommand } from '../../install/plan/hook-command.ts';
import { install } from '../../install/install.ts';
import { invocationFor } from '../../install/plan/invocation.ts';
import { planInit } from '../../install/plan/plan.ts';
import { readRecord } from '../../install/record/record-file.ts';
import { runtimeFolder, hookFile, programFile } from '../../io/runtime-paths.ts';
import type { Scope } from '../../install/plan/scopes.ts';
import { portableServer, serverFor } from '../../install/plan/server-entry.ts';
import type { InstallState, Plan } from '../../install/types.ts';
import type { CommandContext } from '../context.ts';
import { changedFile, formatPatch, displayPath } from '../output/patch.ts';
import {
  moduleSource,
  nodeProgram,
  packageFolder,
  userConfig,
  userFile,
  warnAboutRecords,
} from '../installation.ts';
import { installedPlugin, type InstalledPlugin } from '../installed-plugin.ts';
import { version } from '../version.ts';

export interface InitOptions {
  scope: Scope;
  mcp?: boolean;
  dryRun?: boolean;
}

export function init(cli: CommandContext, options: InitOptions): void {
  const { scope, dryRun } = options;
  const config = userConfig();
  const plugin = installedPlugin(cli.root, config, scope);
  requireSomethingToInstall(cli, options, plugin);
  const hasPlugin = plugin?.coversScope === true;
  const makePlan = (known: InstallState): Plan =>
    planFor(cli, { scope, config, hasPlugin, withServer: options.mcp === true }, known);
  if (dryRun === true) {
    const { installs, damaged } = readRecord(config);
    const plan = makePlan({ installs, isComplete: damaged.length === 0, made: [] });
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
  const { plan, isNew, damaged } = install(config, runtime, makePlan);
  warnAbout(cli, scope, plan);
  if (plugin?.coversScope === false)
    cli.output.warn(
      `the plugin ${plugin.name} is also enabled for you here: when a hook is called twice, the second call does nothing`,
    );
  warnAboutRecords(cli, config, damaged);
  cli.output.result(
    { ...reportOf(scope, config, plan), dry_run: false },
    resultText(cli, scope, plan, isNew),
  );
}

/** A plugin provides hooks, slash commands and the skill; `init` then only adds what the plugin lacks. */
function requireSomethingToInstall(
  { settings }: CommandContext,
  { scope, mcp }: InitOptions,
  plugin: InstalledPlugin | null,
): void {
  if (plugin?.coversScope !== true || mcp === true || settings.reading.enforce === 'block') return;
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
  const node = nodeProgram();
  return planInit({
    ...known,
    ...wanted,
    scope,
    root,
    config,
    hostFile: userFile(),
    module: moduleSource(config),
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
    cli.output.warn(`${displayPath(cli, path)} was changed by hand and is left unchanged`);
  for (const path of foreign)
    cli.output.warn(`${displayPath(cli, path)} does not belong to holdfast and is left unchanged`);
  for (const path of foreignServers)
    cli.output.warn(
      `${displayPath(cli, path)} has an MCP server "holdfast" that init did not write; it is left unchanged`,
    );
  if (scope === 'project') return;
  for (const { path, before } of changes) {
    if (before !== null && disk.isTracked(path))
      cli.output.warn(`git tracks ${displayPath(cli, path)}, so it shows the change`);
  }
}

function resultText(
  cli: CommandContext,
  scope: Scope,
  { changes, backups }: Plan,
  isNew: boolean,
): string {
  if (changes.length === 0) {
    const updated = isNew ? ' Its files were updated.' : '';
    return `holdfast is already installed (scope ${scope}); nothing had to change.${updated}`;
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
    `${share}Claude Code reads these files when it starts. Start a new session, then run \`holdfast doctor\` to check that the hooks fire.`,
  ].join('\n');
}
