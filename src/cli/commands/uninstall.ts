import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { disk } from '../../install/disk.ts';
import { planUninstall } from '../../install/plan/plan.ts';
import { readRecord } from '../../install/record/record-file.ts';
import type { Scope } from '../../install/plan/scopes.ts';
import type { InstallState, Plan } from '../../install/types.ts';
import { uninstall as takeOut } from '../../install/uninstall.ts';
import { ARCHIVE_FOLDER, STATE_FOLDER } from '../../state/paths.ts';
import type { CommandContext } from '../context.ts';
import { changedFile, formatPatch, displayPath } from '../output/patch.ts';
import { userConfig, userFile, warnAboutRecords } from '../installation.ts';

export interface UninstallOptions {
  scope: Scope;
  dryRun?: boolean;
}

export function uninstall(cli: CommandContext, { scope, dryRun }: UninstallOptions): void {
  const config = userConfig();
  const draw = (known: InstallState): Plan =>
    planUninstall({ ...known, scope, root: cli.root, config, hostFile: userFile(), disk });
  if (dryRun === true) {
    const { installs, damaged } = readRecord(config);
    const plan = draw({ installs, isComplete: damaged.length === 0, made: [] });
    const patch = formatPatch(cli, plan.changes);
    cli.output.result(
      { ...reportOf(cli, scope, plan), dry_run: true },
      patch === '' ? 'Nothing would change.' : `${patch}\nNothing was written.`,
    );
    return;
  }
  const { plan, damaged } = takeOut(config, draw);
  for (const path of plan.kept)
    cli.output.warn(
      `${displayPath(cli, path)} was changed by hand and is kept; delete it if you like`,
    );
  warnAboutRecords(cli, config, damaged);
  cli.output.result({ ...reportOf(cli, scope, plan), dry_run: false }, words(cli, scope, plan));
}

function reportOf(cli: CommandContext, scope: Scope, { changes, kept }: Plan): object {
  return { scope, changes: changes.map(changedFile), kept, state: stateFolders(cli) };
}

/** What was stored about workflows is the user's, and stays. */
function stateFolders(cli: CommandContext): string[] {
  return [STATE_FOLDER, ARCHIVE_FOLDER].filter((folder) => existsSync(join(cli.root, folder)));
}

function words(cli: CommandContext, scope: Scope, { changes }: Plan): string {
  if (changes.length === 0) return `holdfast is not installed here (scope ${scope}).`;
  const lines = changes.map((change) => {
    const { path, action } = changedFile(change);
    return `  ${action.padEnd(8)} ${displayPath(cli, path)}`;
  });
  const folders = stateFolders(cli);
  const state =
    folders.length === 0
      ? []
      : ['', `What is stored about workflows stays: ${folders.join(', ')}.`];
  return [`Took holdfast out (scope ${scope}).`, ...lines, ...state].join('\n');
}
