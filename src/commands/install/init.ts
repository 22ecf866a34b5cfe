import { dirname } from 'node:path';
import { readClientSettings, type Plugin } from '../../doctor/client-settings.ts';
import { linksOut, trackedIn } from '../../install/disk.ts';
import type { InstallState, Plan } from '../../install/draft.ts';
import { commandFor, portableLine, portableServer } from '../../install/host-commands.ts';
import { planInit } from '../../install/plan.ts';
import type { Scope } from '../../install/places.ts';
import { portableProgram, programOf } from '../../install/status-line.ts';
import { programFile, runtimeFolder, scriptFile } from '../../files/environment.ts';
import {
  describeUnclear,
  detectedRuns,
  previewSync,
  unclearSources,
} from '../../sources/project-sources.ts';
import { isActive } from '../../sessions/select-run.ts';
import { phaseLabel } from '../../state/phases.ts';
import type { StoredRun } from '../../state/types.ts';
import { pluralize } from '../../text/relative-time.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { ALLOWED_COMMANDS } from '../../sessions/permission.ts';
import type { Shown } from '../command.ts';
import { type CommandContext, fitText, shownPath } from '../view/output.ts';
import {
  moduleSource,
  nodeProgram,
  userConfig,
  userFile,
  whatSwitchesHooksOff,
} from '../view/installation.ts';
import { otherHostsLine } from './other-host.ts';
import { carryOut, changedFile, changeLines, dryRunText } from './changes.ts';

interface Wanted {
  scope: Scope;
  mcp: boolean;
  statusline: boolean;
}

export function init(
  cli: CommandContext,
  { dryRun, verbose, ...wanted }: Wanted & { dryRun: boolean; verbose: boolean },
): Shown {
  const { scope } = wanted;
  const { cwd, output } = cli;
  const config = userConfig();
  const plugin = installedPlugin(cli.root, config, scope);
  const makePlan = planMaker(cli, wanted, plugin?.coversScope === true);
  const runtime = runtimeFolder(config);
  const { plan, isNew } = carryOut('init', dryRun, makePlan);
  const { changes, kept, foreign, record } = plan;
  const links = linksOut(
    cli.root,
    changes.map(({ path }) => path),
  );
  for (const [link, target] of links)
    output.warn(
      `${shownPath(cwd, link)} leads out of this project, to ${target}: what init writes there applies wherever it is used, and is not committed with this project`,
    );
  // The installation that the plan adds is the last one.
  const hasStatusLine = record.installs.at(-1)?.hasStatusLine === true;
  const data = {
    scope,
    changes: changes.map(changedFile),
    kept: [...kept, ...foreign],
    permissions: [...ALLOWED_COMMANDS],
    status_line: hasStatusLine,
    runtime,
    dry_run: dryRun,
  };
  const allowed = `  allowed  holdfast ${ALLOWED_COMMANDS.join(', ')}: the agent runs these without a permission prompt`;
  if (dryRun) {
    const more = [allowed, ...(hasStatusLine ? [statusLineLine(true)] : [])];
    const sentence = `Hooks would run from ${runtime}.`;
    const text = dryRunText(cwd, changes, verbose, { more, runtime: sentence });
    return { data, text, isExact: true };
  }
  warnAbout(cli, scope, plan);
  if (plugin !== null)
    output.warn(
      plugin.coversScope
        ? `the plugin ${plugin.name} brings the hooks, the slash commands and the skill, so init adds only what a plugin cannot bring`
        : `the plugin ${plugin.name} is also enabled for you here: when a hook is called twice, the second call does nothing`,
    );
  const already = 'holdfast is already installed';
  const result =
    changes.length === 0
      ? `${already} (scope ${scope}${hasStatusLine ? ', with the status line' : ''}); nothing had to change.${isNew ? ' Its files were updated.' : ''}`
      : [
          `Installed holdfast (scope ${scope}).`,
          ...changeLines(cwd, changes),
          allowed,
          statusLineLine(hasStatusLine),
          '',
          ...closingLines(cli, scope, links.size > 0),
        ].join('\n');
  return { data, text: fitText(result, output.columns) };
}

/** With what there is to restore in this project, before any hook has run. */
export function withFound(cli: CommandContext, shown: Shown): Shown {
  const found = findInProject(cli);
  const text = `${shown.text}\n\n${fitText(foundText(found), cli.output.columns)}`;
  return { ...shown, data: { ...shown.data, found }, text };
}

/** Brings back what the removal of another scope has taken from this one. */
export function initAgain(cli: CommandContext, scope: Scope): Plan {
  const config = userConfig();
  const hasPlugin = installedPlugin(cli.root, config, scope)?.coversScope === true;
  const makePlan = planMaker(cli, { scope, mcp: false, statusline: false }, hasPlugin);
  return carryOut('init', false, makePlan).plan;
}

function planMaker(
  { root, settings }: CommandContext,
  { scope, mcp, statusline }: Wanted,
  hasPlugin: boolean,
): (known: InstallState) => Plan {
  const config = userConfig();
  const home = runtimeFolder(config);
  const node = nodeProgram();
  const program = programFile(home);
  return (known) =>
    planInit({
      ...known,
      hasPlugin,
      withServer: mcp,
      withStatusLine: statusline,
      scope,
      root,
      config,
      hostFile: userFile(),
      module: moduleSource(config),
      command: scope === 'project' ? portableLine : commandFor(scriptFile(home)),
      isBlocking: settings.reading.enforce === 'block',
      statusLine: scope === 'project' ? portableProgram() : programOf(node, program),
      server:
        scope === 'project'
          ? portableServer()
          : { type: 'stdio', command: node, args: [program, 'mcp'] },
    });
}

function warnAbout({ cwd, output }: CommandContext, scope: Scope, plan: Plan): void {
  const { changes, kept, foreign, foreignServers } = plan;
  const tracked = changes.filter(
    ({ path, before }) =>
      scope !== 'project' && before !== null && trackedIn(dirname(path)).has(path),
  );
  const warnings: [paths: readonly string[], words: string][] = [
    [kept, 'was changed by hand and is left unchanged'],
    [foreign, 'does not belong to holdfast and is left unchanged'],
    [foreignServers, 'has an MCP server "holdfast" that init did not write; it is left unchanged'],
    [tracked.map(({ path }) => path), 'is tracked by git, which shows the change'],
  ];
  for (const [paths, words] of warnings)
    for (const path of paths) output.warn(`${shownPath(cwd, path)} ${words}`);
}

function statusLineLine(isInstalled: boolean): string {
  return isInstalled
    ? '  added    a status line with the run and the context fill'
    : '  offered  `holdfast init --statusline` shows the run and the context fill below the prompt';
}

const PROTECTED: Record<Scope, string> = {
  local: 'you, in this project',
  project: 'everyone who works in this project, once these files are committed',
  user: 'you, in every project',
};

/**
 * What protects the user now, what to type next, how to remove it. `isElsewhere`: the files are written through a link to
 * another folder, so they cannot be committed with the project.
 */
function closingLines(cli: CommandContext, scope: Scope, isElsewhere: boolean): string[] {
  const who =
    scope === 'project' && isElsewhere
      ? 'everyone who works in this project and has these files'
      : PROTECTED[scope];
  const off = whatSwitchesHooksOff(cli);
  return [
    off === null
      ? `Protected: ${who}. Sessions started from now on get their workflow back after compaction, /clear and resume.`
      : `Protected: nobody yet, because ${off}. Then it is ${who}.`,
    // The committed hooks look for the user's copy of holdfast, which only `init` makes.
    ...(scope === 'project'
      ? [
          'Colleagues: each types `holdfast init --scope project` once, unless holdfast is a dependency of the project.',
        ]
      : []),
    'Next: start Claude Code and type `/holdfast:start`; `holdfast doctor` then shows whether the hooks fire.',
    ...[otherHostsLine(cli.root) ?? []].flat(),
    `Remove: \`holdfast uninstall${scope === 'local' ? '' : ` --scope ${scope}`}\``,
  ];
}

function findInProject(cli: CommandContext) {
  const { runs } = cli.store.list();
  const { changes, sources } = previewSync(cli, runs);
  const detected = detectedRuns(cli, changes).map(({ run }) => run);
  return {
    runs: [...runs.filter(isActive), ...detected].map((run) => ({
      workflow: run.state.workflow,
      phase: phaseLabel(run.state.phase),
      from: run.state.source?.path ?? run.path,
      gets_back: givenBack(run),
    })),
    not_understood: unclearSources(cli.root, sources),
  };
}

function givenBack({ state }: StoredRun): string {
  const counts = [
    [state.required_reading.length, 'file', ' to read'],
    [state.key_reminders?.length ?? 0, 'reminder', ''],
    [Object.keys(state.context ?? {}).length, 'fact', ''],
  ] as const;
  const parts = counts
    .filter(([count]) => count > 0)
    .map(([count, name, how]) => `${pluralize(count, name)}${how}`);
  return [`phase ${phaseLabel(state.phase)}`, ...parts].join(', ');
}

const MAX_FOUND = 5;

function foundText({ runs, not_understood: unclear }: ReturnType<typeof findInProject>): string {
  const left = runs.length - MAX_FOUND;
  return [
    runs.length === 0
      ? 'Found in this project: no workflow in progress. Declare one in CLAUDE.local.md or a plan, or type `holdfast start`.'
      : `Found in this project: ${pluralize(runs.length, 'workflow')} in progress. After a compaction a session gets back:`,
    ...runs
      .slice(0, MAX_FOUND)
      .map((run) => `  ${sanitizeLine(`${run.workflow} (${run.from}): ${run.gets_back}`)}`),
    ...(left > 0 ? [`  and ${left} more: \`holdfast list\``] : []),
    ...unclear.map((each) => `  ${sanitizeLine(describeUnclear(each))}`),
  ].join('\n');
}

/** The plugin scopes that reach every user whom an installation of this scope would reach. */
const COVERED_BY: Record<Scope, readonly Plugin['scope'][]> = {
  local: ['local', 'project', 'user'],
  project: ['project'],
  user: ['user'],
};

/** The holdfast plugin that Claude Code has enabled in this project, and whether it makes `init` for a scope unnecessary. */
function installedPlugin(
  root: string,
  config: string,
  scope: Scope,
): { name: string; coversScope: boolean } | null {
  const { plugins } = readClientSettings({ root, config });
  const covering = plugins.find((plugin) => COVERED_BY[scope].includes(plugin.scope));
  const found = covering ?? plugins[0];
  return found === undefined ? null : { name: found.name, coversScope: found === covering };
}
