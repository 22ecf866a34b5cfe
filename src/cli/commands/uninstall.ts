import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { applyUninstall, exclusively, readInstalls, removeFolders } from '../../install/apply.ts';
import { disk } from '../../install/disk.ts';
import { planUninstall } from '../../install/plan.ts';
import type { Scope } from '../../install/scopes.ts';
import type { Plan } from '../../install/types.ts';
import { ARCHIVE_FOLDER, STATE_FOLDER } from '../../state/places.ts';
import type { Cli } from '../context.ts';
import { changedFile, patchOf, shown } from '../changes.ts';
import { userConfig } from '../installation.ts';

export interface UninstallOptions {
  scope: Scope;
  dryRun?: boolean;
}

export function uninstall(cli: Cli, { scope, dryRun }: UninstallOptions): void {
  const config = userConfig();
  const plan = (): Plan =>
    planUninstall({ scope, root: cli.root, config, disk, installs: readInstalls(config) });
  if (dryRun === true) {
    const planned = plan();
    const patch = patchOf(cli, planned.changes);
    cli.output.result(
      { ...reportOf(cli, scope, planned), dry_run: true },
      patch === '' ? 'Nothing would change.' : `${patch}\nNothing was written.`,
    );
    return;
  }
  const planned = exclusively(config, () => {
    const made = plan();
    applyUninstall(config, made);
    return made;
  });
  removeFolders(planned);
  for (const path of planned.kept)
    cli.output.warn(`${shown(cli, path)} was changed by hand and is kept; delete it if you like`);
  cli.output.result(
    { ...reportOf(cli, scope, planned), dry_run: false },
    words(cli, scope, planned),
  );
}

function reportOf(cli: Cli, scope: Scope, { changes, kept }: Plan): object {
  return { scope, changes: changes.map(changedFile), kept, state: stateFolders(cli) };
}

/** What was stored about workflows is the user's, and stays. */
function stateFolders(cli: Cli): string[] {
  return [STATE_FOLDER, ARCHIVE_FOLDER].filter((folder) => existsSync(join(cli.root, folder)));
}

function words(cli: Cli, scope: Scope, { changes }: Plan): string {
  if (changes.length === 0) return `holdfast is not installed here (scope ${scope}).`;
  const lines = changes.map((change) => {
    const { path, action } = changedFile(change);
    return `  ${action.padEnd(8)} ${shown(cli, path)}`;
  });
  const folders = stateFolders(cli);
  const state =
    folders.length === 0
      ? []
      : ['', `What is stored about workflows stays: ${folders.join(', ')}.`];
  return [`Took holdfast out (scope ${scope}).`, ...lines, ...state].join('\n');
}
