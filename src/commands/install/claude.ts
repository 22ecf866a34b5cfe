import { dirname, join } from 'node:path';
import fse from 'fs-extra';
import {
  coveringPlugin,
  readClientSettings,
} from '../../doctor/client-settings.ts';
import { runtimeFolder } from '../../files/environment.ts';
import { linksOut, trackedIn } from '../../install/disk.ts';
import type { Change, Plan } from '../../install/draft.ts';
import type { Scope } from '../../install/places.ts';
import { planInit, planUninstall } from '../../install/plan.ts';
import { findInstall } from '../../install/record.ts';
import { ALLOWED_COMMANDS } from '../../sessions/permission.ts';
import { ARCHIVE_FOLDER, STATE_FOLDER } from '../../state/paths.ts';
import type { Shown } from '../command.ts';
import type {
  ClaudeInitDocument,
  UninstallDocument,
} from '../json/documents.ts';
import {
  packageFolder,
  userConfig,
  userFile,
  whatSwitchesHooksOff,
} from '../view/installation.ts';
import { type CommandContext, shownPath } from '../view/output.ts';
import { carryOut, changedFile, changeLines, dryRunText } from './hosts.ts';

type Wanted = { scope: Scope; mcp: boolean; statusline: boolean };

export function initClaude(
  cli: CommandContext,
  {
    dryRun,
    verbose,
    ...wanted
  }: Wanted & { dryRun: boolean; verbose: boolean },
): Shown<ClaudeInitDocument> {
  const { scope } = wanted;
  const { cwd, output } = cli;
  const runtime = runtimeFolder(userConfig());
  const { plan, isNew, plugin, hasPlugin } = applyInit(cli, wanted, dryRun);
  const { changes, left, record } = plan;
  const paths = changes.map(({ path }) => path);
  const links = linksOut(cli.root, paths);
  for (const [link, target] of links)
    output.warn(
      `${shownPath(cwd, link)} leads out of this project, to ${target}: what init writes there applies wherever it is used, and is not committed with this project`,
    );
  // The installation that the plan adds is the last one.
  const hasStatusLine = record.installs.at(-1)?.hasStatusLine === true;
  const data = {
    scope,
    changes: changes.map(changedFile),
    kept: left.map(([path]) => path),
    permissions: [...ALLOWED_COMMANDS],
    status_line: hasStatusLine,
    runtime,
    dry_run: dryRun,
  };
  const allowed = `  allowed  holdfast ${ALLOWED_COMMANDS.join(', ')}: the agent runs these without a permission prompt`;
  if (dryRun) {
    const runs = `  hooks    run from ${runtime}`;
    const more = [
      allowed,
      ...(hasStatusLine ? [statusLineLine(true)] : []),
      runs,
    ];
    return { data, text: dryRunText(cwd, changes, verbose, more) };
  }
  warnAbout(cli, scope, plan);
  if (plugin !== undefined)
    output.warn(
      hasPlugin
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
  return { data, text: result };
}

function applyInit(
  { root, settings }: CommandContext,
  { scope, mcp, statusline }: Wanted,
  dryRun: boolean,
) {
  const config = userConfig();
  const { plugins } = readClientSettings({ root, config });
  const covering = coveringPlugin(plugins, scope);
  const request = {
    scope,
    root,
    config,
    hostFile: userFile(),
    packageFolder: packageFolder(),
    isBlocking: settings.reading.enforce === 'block',
    hasPlugin: covering !== undefined,
    withServer: mcp,
    withStatusLine: statusline,
  };
  const applied = carryOut('init', dryRun, (state) =>
    planInit({ ...state, ...request }),
  );
  return {
    ...applied,
    plugin: covering ?? plugins[0],
    hasPlugin: covering !== undefined,
  };
}

function warnAbout(
  { cwd, output }: CommandContext,
  scope: Scope,
  plan: Plan,
): void {
  const { changes, left } = plan;
  const tracked = changes.filter(
    ({ path, before }) =>
      scope !== 'project' &&
      before !== null &&
      trackedIn(dirname(path)).has(path),
  );
  for (const [path, why] of left) output.warn(`${shownPath(cwd, path)} ${why}`);
  for (const { path } of tracked)
    output.warn(
      `${shownPath(cwd, path)} is tracked by git, which shows the change`,
    );
}

const statusLineLine = (isInstalled: boolean): string =>
  isInstalled
    ? '  added    a status line with the run and the context fill'
    : '  offered  `holdfast init --statusline` shows the run and the context fill below the prompt';

const PROTECTED: Record<Scope, string> = {
  local: 'you, in this project',
  project: 'everyone who works in this project, once these files are committed',
  user: 'you, in every project',
};

/** `isElsewhere`: the files are written through a link to another folder, so they cannot be committed with the project. */
function closingLines(
  cli: CommandContext,
  scope: Scope,
  isElsewhere: boolean,
): string[] {
  const who =
    scope === 'project' && isElsewhere
      ? 'everyone who works in this project and has these files'
      : PROTECTED[scope];
  const off = whatSwitchesHooksOff(cli);
  // The committed hooks look for the user's copy of holdfast, which only `init` makes.
  const colleagues =
    'Colleagues: each types `holdfast init --scope project` once, unless holdfast is a dependency of the project.';
  return [
    off === null
      ? `Protected: ${who}. Sessions started from now on get their workflow back after compaction, /clear and resume.`
      : `Protected: nobody yet, because ${off}. Then it is ${who}.`,
    ...(scope === 'project' ? [colleagues] : []),
    'Next: start Claude Code and type `/holdfast:start`; `holdfast doctor` then shows whether the hooks fire.',
    `Remove: \`holdfast uninstall${scope === 'local' ? '' : ` --scope ${scope}`}\``,
  ];
}

export function removeClaude(
  cli: CommandContext,
  {
    scope,
    dryRun,
    verbose,
  }: { scope: Scope; dryRun: boolean; verbose: boolean },
): Shown<UninstallDocument> {
  const { root, cwd } = cli;
  const config = userConfig();
  const { plan: planned } = carryOut('uninstall', dryRun, (state) =>
    planUninstall({
      ...state,
      scope,
      root,
      config,
      hostFile: userFile(),
      packageFolder: packageFolder(),
    }),
  );
  const hasLocal =
    scope === 'project' &&
    findInstall(planned.record, 'local', root) !== undefined;
  if (dryRun && hasLocal)
    cli.output.warn(
      'your own installation stays: what it shares with the project is then written again',
    );
  const { changes, left } =
    dryRun || !hasLocal ? planned : leaveLocalWhole(cli, planned);
  // State files belong to the user and are never removed.
  const state = [STATE_FOLDER, ARCHIVE_FOLDER].filter((folder) =>
    fse.existsSync(join(root, folder)),
  );
  const kept = left.map(([path]) => path);
  const data = {
    scope,
    changes: changes.map(changedFile),
    kept,
    state,
    dry_run: dryRun,
  };
  if (dryRun) return { data, text: dryRunText(cwd, changes, verbose) };
  for (const [path, why] of left)
    cli.output.warn(
      `${shownPath(cwd, path)} ${why}; delete it yourself if you want`,
    );
  const lines = [
    `Removed holdfast (scope ${scope}).`,
    ...changeLines(cwd, changes),
    ...(state.length === 0
      ? []
      : ['', `State files were kept: ${state.join(', ')}.`]),
  ];
  const none = 'holdfast is not installed here';
  return {
    data,
    text: changes.length === 0 ? `${none} (scope ${scope}).` : lines.join('\n'),
  };
}

/** The user's own installation may have used the slash commands and the skill of the project. */
function leaveLocalWhole(cli: CommandContext, removed: Plan): Plan {
  const again = applyInit(
    cli,
    { scope: 'local', mcp: false, statusline: false },
    false,
  ).plan;
  const local = findInstall(again.record, 'local', cli.root);
  const isRemoved = removed.changes.some(
    ({ path, after }) => after === null && path.endsWith('.md'),
  );
  // Files that git tracks belong to the project until their removal is committed.
  if (
    isRemoved &&
    local?.files.every(({ path }) => !path.endsWith('.md')) === true
  )
    cli.output.warn(
      'your own installation used the slash commands and the skill of the project; `holdfast init` writes them again once the removal is committed',
    );
  const changes = new Map(
    removed.changes.map((change): [string, Change] => [change.path, change]),
  );
  for (const change of again.changes) {
    const { before } = changes.get(change.path) ?? change;
    changes.set(change.path, { ...change, before });
  }
  return {
    ...removed,
    changes: [...changes.values()].filter(
      ({ before, after }) => before !== after,
    ),
  };
}
