import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { planUninstall } from '../../install/plan.ts';
import { findInstall, requireRecord } from '../../install/record.ts';
import type { Scope } from '../../install/places.ts';
import type { Change, InstallState, Plan } from '../../install/draft.ts';
import { uninstall as removeInstalled } from '../../install/apply.ts';
import { ARCHIVE_FOLDER, STATE_FOLDER } from '../../state/paths.ts';
import { type CommandContext } from '../view/output.ts';
import { moduleSource, userConfig, userFile } from '../view/installation.ts';
import { changedFile, formatPatch, displayPath } from './patch.ts';
import { changeLines } from './install-summary.ts';
import type { Shown } from '../command.ts';
import { initAgain } from './init.ts';

interface UninstallOptions {
  scope: Scope;
  dryRun: boolean;
  verbose: boolean;
}

export function uninstall(cli: CommandContext, options: UninstallOptions): Shown {
  const { scope, dryRun, verbose } = options;
  const config = userConfig();
  const makePlan = (known: InstallState): Plan =>
    planUninstall({
      ...known,
      scope,
      root: cli.root,
      config,
      hostFile: userFile(),
      module: moduleSource(config),
    });
  if (dryRun) {
    const plan = makePlan({ record: requireRecord(config), made: [] });
    if (hasLocal(cli, scope, plan)) cli.output.warn(LOCAL_STAYS);
    return {
      data: { ...reportOf(cli, scope, plan), dry_run: true },
      text: dryRunText(cli, plan, verbose),
      isExact: true,
    };
  }
  const plan = leaveLocalWhole(cli, scope, removeInstalled(config, makePlan));
  for (const path of plan.kept)
    cli.output.warn(
      `${displayPath(cli, path)} was changed by hand and is kept; delete it yourself if you want`,
    );
  return {
    data: { ...reportOf(cli, scope, plan), dry_run: false },
    text: resultText(cli, scope, plan),
  };
}

const LOCAL_STAYS =
  'your own installation stays: what it shares with the project is then written again';

function hasLocal(cli: CommandContext, scope: Scope, { record }: Plan): boolean {
  return scope === 'project' && findInstall(record, 'local', cli.root) !== undefined;
}

/** The user's own installation may have used the slash commands and the skill of the project. */
function leaveLocalWhole(cli: CommandContext, scope: Scope, removed: Plan): Plan {
  if (!hasLocal(cli, scope, removed)) return removed;
  const again = initAgain(cli, 'local');
  const local = findInstall(again.record, 'local', cli.root);
  const isRemoved = removed.changes.some(
    ({ path, after }) => after === null && path.endsWith('.md'),
  );
  if (isRemoved && local?.files.every(({ path }) => !path.endsWith('.md')) === true)
    cli.output.warn(LOCAL_LEFT_BARE);
  return { ...removed, changes: inTotal(removed.changes, again.changes) };
}

/** Files that git tracks belong to the project until their removal is committed. */
const LOCAL_LEFT_BARE =
  'your own installation used the slash commands and the skill of the project; `holdfast init` writes them again once the removal is committed';

function inTotal(first: readonly Change[], second: readonly Change[]): Change[] {
  const changes = new Map(first.map((change) => [change.path, change]));
  for (const change of second) {
    const { before } = changes.get(change.path) ?? change;
    changes.set(change.path, { ...change, before });
  }
  return [...changes.values()].filter(({ before, after }) => before !== after);
}

function reportOf(cli: CommandContext, scope: Scope, { changes, kept }: Plan): object {
  return { scope, changes: changes.map(changedFile), kept, state: stateFolders(cli) };
}

/** State files belong to the user and are never removed. */
function stateFolders(cli: CommandContext): string[] {
  return [STATE_FOLDER, ARCHIVE_FOLDER].filter((folder) => existsSync(join(cli.root, folder)));
}

function dryRunText(cli: CommandContext, { changes }: Plan, isVerbose: boolean): string {
  if (changes.length === 0) return 'Nothing would change.';
  if (isVerbose) return `${formatPatch(cli, changes)}\nNothing was written.`;
  return [
    'Would change:',
    ...changeLines(cli, changes),
    '',
    'Nothing was written; `--verbose` shows the diff.',
  ].join('\n');
}

function resultText(cli: CommandContext, scope: Scope, { changes }: Plan): string {
  if (changes.length === 0) return `holdfast is not installed here (scope ${scope}).`;
  const folders = stateFolders(cli);
  const state = folders.length === 0 ? [] : ['', `State files were kept: ${folders.join(', ')}.`];
  return [`Removed holdfast (scope ${scope}).`, ...changeLines(cli, changes), ...state].join('\n');
}
