import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { disk } from '../../install/disk.ts';
import { planUninstall } from '../../install/plan/plan.ts';
import { readRecord } from '../../install/record/record-file.ts';
import type { Scope } from '../../install/plan/scopes.ts';
import type { InstallState, Plan } from '../../install/types.ts';
import { uninstall as removeInstalled } from '../../install/uninstall.ts';
import { ARCHIVE_FOLDER, STATE_FOLDER } from '../../state/paths.ts';
import type { CommandContext } from '../context.ts';
import { fitText } from '../output/layout.ts';
import { changedFile, formatPatch, displayPath } from '../output/patch.ts';
import { changeLines } from '../output/install-summary.ts';
import { moduleSource, userConfig, userFile, warnAboutRecords } from '../installation.ts';

export interface UninstallOptions {
  scope: Scope;
  dryRun?: boolean;
  verbose?: boolean;
}

export function uninstall(cli: CommandContext, options: UninstallOptions): void {
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
      disk,
    });
  if (dryRun === true) {
    const { installs, damaged } = readRecord(config);
    const plan = makePlan({ installs, isComplete: damaged.length === 0, made: [] });
    cli.output.result(
      { ...reportOf(cli, scope, plan), dry_run: true },
      dryRunText(cli, plan, verbose === true),
    );
    return;
  }
  const { plan, damaged } = removeInstalled(config, makePlan);
  for (const path of plan.kept)
    cli.output.warn(
      `${displayPath(cli, path)} was changed by hand and is kept; delete it yourself if you want`,
    );
  warnAboutRecords(cli, config, damaged);
  if (scope === 'project' && leavesLocalBare(cli, plan)) cli.output.warn(LOCAL_LEFT_BARE);
  cli.output.result(
    { ...reportOf(cli, scope, plan), dry_run: false },
    fitText(resultText(cli, scope, plan), cli.output.columns),
  );
}

const LOCAL_LEFT_BARE =
  'your own installation used the slash commands and the skill of the project; `holdfast init` writes them again once the removal is committed';

/** Files that git tracks are removed although the user's own installation uses them. */
function leavesLocalBare(cli: CommandContext, { changes, installs }: Plan): boolean {
  const local = installs.installs.find(({ scope, root }) => scope === 'local' && root === cli.root);
  const isRemoved = changes.some(({ path, after }) => after === null && path.endsWith('.md'));
  return local !== undefined && local.files.length === 0 && isRemoved;
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
