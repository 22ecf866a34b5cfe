import { dirname } from 'node:path';
import { readClientSettings, type Plugin } from '../../doctor/client-settings.ts';
import { install } from '../../install/apply.ts';
import { linksOut, trackedIn } from '../../install/disk.ts';
import type { InstallState, Plan } from '../../install/draft.ts';
import {
  commandFor,
  portableCommand,
  portableServer,
  portableShelllessCommand,
  serverFor,
  shelllessCommand,
  type HookCommand,
  hasPosixShell,
  invocationFor,
} from '../../install/host-commands.ts';
import { planInit } from '../../install/plan.ts';
import type { Scope } from '../../install/places.ts';
import { portableProgram, programOf } from '../../install/status-line.ts';
import { requireRecord } from '../../install/record.ts';
import { hookFile, programFile, runtimeFolder, scriptFile } from '../../files/environment.ts';
import { ALLOWED_COMMANDS } from '../../sessions/permission.ts';
import { version } from '../../text/version.ts';
import type { Shown } from '../command.ts';
import { type CommandContext } from '../view/output.ts';
import {
  moduleSource,
  nodeProgram,
  packageFolder,
  userConfig,
  userFile,
} from '../view/installation.ts';
import { findInProject, foundText } from '../view/found-text.ts';
import { fitText } from '../view/layout.ts';
import { hiddenStatusLine, whatSwitchesHooksOff } from '../view/registered-hooks.ts';
import { changeLines, closingLines, permissionLine, statusLineLine } from './install-summary.ts';
import { changedFile, displayPath, formatPatch } from './patch.ts';

interface InitOptions {
  scope: Scope;
  mcp: boolean;
  statusline: boolean;
  dryRun: boolean;
  verbose: boolean;
}

export function init(cli: CommandContext, options: InitOptions): Shown {
  const { scope, dryRun, verbose } = options;
  const config = userConfig();
  const plugin = installedPlugin(cli.root, config, scope);
  const hasPlugin = plugin?.coversScope === true;
  const makePlan = (known: InstallState): Plan =>
    planFor(
      cli,
      {
        scope,
        config,
        hasPlugin,
        withServer: options.mcp,
        withStatusLine: options.statusline,
      },
      known,
    );
  if (dryRun) {
    const plan = makePlan({ record: requireRecord(config), made: [] });
    warnAboutLinks(cli, plan);
    return {
      data: { ...reportOf(scope, config, plan), dry_run: true },
      text: dryRunText(cli, { scope, config }, plan, verbose),
      isExact: true,
    };
  }
  const runtime = { folder: packageFolder(), version };
  const { plan, isNew } = install(config, runtime, makePlan);
  warnAboutLinks(cli, plan);
  warnAbout(cli, scope, plan);
  if (plugin?.coversScope === true)
    cli.output.warn(
      `the plugin ${plugin.name} brings the hooks, the slash commands and the skill, so init adds only what a plugin cannot bring`,
    );
  if (plugin?.coversScope === false)
    cli.output.warn(
      `the plugin ${plugin.name} is also enabled for you here: when a hook is called twice, the second call does nothing`,
    );
  const result = resultText(cli, scope, plan, {
    isNew,
    isElsewhere: linksOutOf(cli, plan).size > 0,
  });
  const found = findInProject(cli);
  return {
    data: { ...reportOf(scope, config, plan), dry_run: false, found },
    text: fitText(`${result}\n\n${foundText(found)}`, cli.output.columns),
  };
}

/** Brings back what the removal of another scope has taken from this one. */
export function initAgain(cli: CommandContext, scope: Scope): Plan {
  const config = userConfig();
  const hasPlugin = installedPlugin(cli.root, config, scope)?.coversScope === true;
  const wanted = { scope, config, hasPlugin, withServer: false, withStatusLine: false };
  return install(config, { folder: packageFolder(), version }, (known) =>
    planFor(cli, wanted, known),
  ).plan;
}

interface Wanted {
  scope: Scope;
  config: string;
  hasPlugin: boolean;
  withServer: boolean;
  withStatusLine: boolean;
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
    command: hookCommand(scope, home, node),
    isBlocking: settings.reading.enforce === 'block',
    statusLine: scope === 'project' ? portableProgram() : programOf(node, programFile(home)),
    server: scope === 'project' ? portableServer() : serverFor(programFile(home), node),
    invocation: invocationFor(scope, {
      node,
      program: programFile(home),
      root,
      hasShell: hasPosixShell(),
    }),
  });
}

function hookCommand(scope: Scope, home: string, node: string): HookCommand {
  if (hasPosixShell())
    return scope === 'project' ? portableCommand() : commandFor(scriptFile(home));
  return scope === 'project' ? portableShelllessCommand() : shelllessCommand(hookFile(home), node);
}

function reportOf(scope: Scope, config: string, plan: Plan): object {
  const { changes, kept, foreign } = plan;
  return {
    scope,
    changes: changes.map(changedFile),
    kept: [...kept, ...foreign],
    permissions: [...ALLOWED_COMMANDS],
    status_line: hasStatusLine(plan),
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
    if (before !== null && trackedIn(dirname(path)).has(path))
      cli.output.warn(`git tracks ${displayPath(cli, path)}, so it shows the change`);
  }
}

function warnAboutLinks(cli: CommandContext, plan: Plan): void {
  for (const [link, target] of linksOutOf(cli, plan))
    cli.output.warn(
      `${displayPath(cli, link)} leads out of this project, to ${target}: what init writes there applies wherever it is used, and is not committed with this project`,
    );
}

function linksOutOf({ root }: CommandContext, { changes }: Plan): ReadonlyMap<string, string> {
  return linksOut(
    root,
    changes.map(({ path }) => path),
  );
}

/** What `init --dry-run` prints. */
function dryRunText(
  cli: CommandContext,
  { scope, config }: { scope: Scope; config: string },
  plan: Plan,
  isVerbose: boolean,
): string {
  const { changes } = plan;
  const runtime = `Hooks would run from ${runtimeFolder(config)}.`;
  if (changes.length === 0) return `Nothing would change. ${runtime}`;
  if (isVerbose) return `${formatPatch(cli, changes)}\n${runtime} Nothing was written.`;
  return [
    'Would change:',
    ...changeLines(cli, changes),
    permissionLine(),
    ...(hasStatusLine(plan) ? [statusLineLine(true, hiddenStatusLine(cli, scope))] : []),
    '',
    `${runtime} Nothing was written; \`--verbose\` shows the diff.`,
  ].join('\n');
}

/** What `init` prints. `isNew`: the files of holdfast itself are new; `isElsewhere`: a link leads out of the project. */
function resultText(
  cli: CommandContext,
  scope: Scope,
  plan: Plan,
  { isNew, isElsewhere }: { isNew: boolean; isElsewhere: boolean },
): string {
  const { changes } = plan;
  if (changes.length === 0) {
    const updated = isNew ? ' Its files were updated.' : '';
    const line = hasStatusLine(plan) ? ', with the status line' : '';
    return `holdfast is already installed (scope ${scope}${line}); nothing had to change.${updated}`;
  }
  return [
    `Installed holdfast (scope ${scope}).`,
    ...changeLines(cli, changes),
    permissionLine(),
    statusLineLine(hasStatusLine(plan), hiddenStatusLine(cli, scope)),
    '',
    ...closingLines(scope, { isElsewhere, off: whatSwitchesHooksOff(cli) }),
  ].join('\n');
}

/** Whether the installation that the plan adds, which is the last one, has the status line. */
function hasStatusLine({ record }: Plan): boolean {
  return record.installs.at(-1)?.hasStatusLine === true;
}

/** The plugin scopes that reach every user whom an installation of this scope would reach. */
const COVERED_BY: Record<Scope, readonly Plugin['scope'][]> = {
  local: ['local', 'project', 'user'],
  project: ['project'],
  user: ['user'],
};

interface InstalledPlugin {
  name: string;
  /** Whether it makes `init` for this scope unnecessary. */
  coversScope: boolean;
}

/** The holdfast plugin that Claude Code has enabled in this project. */
function installedPlugin(root: string, config: string, scope: Scope): InstalledPlugin | null {
  const { plugins } = readClientSettings({ root, config });
  const covering = plugins.find((plugin) => COVERED_BY[scope].includes(plugin.scope));
  const [first] = covering === undefined ? plugins : [covering];
  return first === undefined ? null : { name: first.name, coversScope: first === covering };
}
