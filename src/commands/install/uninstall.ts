import { join } from 'node:path';
import fse from 'fs-extra';
import { planUninstall } from '../../install/plan.ts';
import { findInstall } from '../../install/record.ts';
import type { Scope } from '../../install/places.ts';
import type { Change, InstallState, Plan } from '../../install/draft.ts';
import { ARCHIVE_FOLDER, STATE_FOLDER } from '../../state/paths.ts';
import type { Shown } from '../command.ts';
import { type CommandContext, shownPath } from '../view/output.ts';
import { moduleSource, userConfig, userFile } from '../view/installation.ts';
import { carryOut, changedFile, changeLines, dryRunText } from './changes.ts';
import { initAgain } from './init.ts';

export function uninstall(
  cli: CommandContext,
  { scope, dryRun, verbose }: { scope: Scope; dryRun: boolean; verbose: boolean },
): Shown {
  const { root, cwd } = cli;
  const config = userConfig();
  const module = moduleSource(config);
  const makePlan = (known: InstallState): Plan =>
    planUninstall({ ...known, scope, root, config, hostFile: userFile(), module });
  const { plan: planned } = carryOut('uninstall', dryRun, makePlan);
  const hasLocal = scope === 'project' && findInstall(planned.record, 'local', root) !== undefined;
  if (dryRun && hasLocal)
    cli.output.warn(
      'your own installation stays: what it shares with the project is then written again',
    );
  const { changes, kept } = dryRun || !hasLocal ? planned : leaveLocalWhole(cli, planned);
  // State files belong to the user and are never removed.
  const state = [STATE_FOLDER, ARCHIVE_FOLDER].filter((folder) =>
    fse.existsSync(join(root, folder)),
  );
  const data = { scope, changes: changes.map(changedFile), kept, state, dry_run: dryRun };
  if (dryRun) return { data, text: dryRunText(cwd, changes, verbose), isExact: true };
  for (const path of kept)
    cli.output.warn(
      `${shownPath(cwd, path)} was changed by hand and is kept; delete it yourself if you want`,
    );
  const lines = [
    `Removed holdfast (scope ${scope}).`,
    ...changeLines(cwd, changes),
    ...(state.length === 0 ? [] : ['', `State files were kept: ${state.join(', ')}.`]),
  ];
  const none = 'holdfast is not installed here';
  return { data, text: changes.length === 0 ? `${none} (scope ${scope}).` : lines.join('\n') };
}

/** The user's own installation may have used the slash commands and the skill of the project. */
function leaveLocalWhole(cli: CommandContext, removed: Plan): Plan {
  const again = initAgain(cli, 'local');
  const local = findInstall(again.record, 'local', cli.root);
  const isRemoved = removed.changes.some(
    ({ path, after }) => after === null && path.endsWith('.md'),
  );
  // Files that git tracks belong to the project until their removal is committed.
  if (isRemoved && local?.files.every(({ path }) => !path.endsWith('.md')) === true)
    cli.output.warn(
      'your own installation used the slash commands and the skill of the project; `holdfast init` writes them again once the removal is committed',
    );
  const changes = new Map(removed.changes.map((change): [string, Change] => [change.path, change]));
  for (const change of again.changes) {
    const { before } = changes.get(change.path) ?? change;
    changes.set(change.path, { ...change, before });
  }
  return {
    ...removed,
    changes: [...changes.values()].filter(({ before, after }) => before !== after),
  };
}
