import { applyInit, exclusively, readInstalls } from '../../install/apply.ts';
import { disk } from '../../install/disk.ts';
import { commandFor, portableCommand } from '../../install/hook-entry.ts';
import { invocationFor, isOnPath } from '../../install/invocation.ts';
import { planInit } from '../../install/plan.ts';
import { homeOf, hookFile, programFile } from '../../install/runtime-places.ts';
import type { Scope } from '../../install/scopes.ts';
import type { Plan } from '../../install/types.ts';
import { isTracked } from '../../install/tracked.ts';
import type { Cli } from '../context.ts';
import { changedFile, patchOf, shown } from '../changes.ts';
import { userConfig } from '../installation.ts';
import { packageFolder } from '../package-folder.ts';
import { version } from '../version.ts';

export interface InitOptions {
  scope: Scope;
  dryRun?: boolean;
}

export function init(cli: Cli, { scope, dryRun }: InitOptions): void {
  const config = userConfig();
  const plan = (made: string[]): Plan => planFor(cli, scope, config, made);
  if (dryRun === true) {
    const planned = plan([]);
    const patch = patchOf(cli, planned.changes);
    const runtime = `Hooks would run from ${homeOf(config)}.`;
    cli.output.result(
      { ...reportOf(scope, config, planned), dry_run: true },
      patch === ''
        ? `Nothing would change. ${runtime}`
        : `${patch}\n${runtime} Nothing was written.`,
    );
    return;
  }
  const { planned, isNew } = exclusively(config, (made) => {
    const ready = plan(made);
    return {
      planned: ready,
      isNew: applyInit(config, ready, { folder: packageFolder(), version }),
    };
  });
  warnAbout(cli, scope, planned);
  cli.output.result(
    { ...reportOf(scope, config, planned), dry_run: false },
    words(cli, scope, planned, isNew),
  );
}

function planFor(cli: Cli, scope: Scope, config: string, made: string[]): Plan {
  const { root, settings } = cli;
  const home = homeOf(config);
  const search = process.env.PATH;
  const node = isOnPath('node', search) ? 'node' : process.execPath;
  return planInit({
    scope,
    root,
    config,
    disk,
    made,
    installs: readInstalls(config),
    command: scope === 'project' ? portableCommand() : commandFor(hookFile(home), node),
    isBlocking: settings.reading.enforce === 'block',
    invocation: invocationFor(scope, { program: programFile(home), search, root }),
  });
}

function reportOf(scope: Scope, config: string, { changes, backups, kept }: Plan): object {
  return {
    scope,
    changes: changes.map(changedFile),
    kept,
    backups: backups.map(({ path }) => path),
    runtime: homeOf(config),
  };
}

function warnAbout(cli: Cli, scope: Scope, { changes, kept }: Plan): void {
  for (const path of kept)
    cli.output.warn(`${shown(cli, path)} was changed by hand and is left as it is`);
  if (scope === 'project') return;
  for (const { path, before } of changes) {
    if (before !== null && isTracked(path))
      cli.output.warn(`git tracks ${shown(cli, path)}, so it shows the change`);
  }
}

function words(cli: Cli, scope: Scope, { changes, backups }: Plan, isNew: boolean): string {
  if (changes.length === 0) {
    const now = isNew ? ' Its files were brought up to date.' : '';
    return `holdfast is installed already (scope ${scope}); nothing had to change.${now}`;
  }
  const lines = changes.map((change) => {
    const { path, action } = changedFile(change);
    return `  ${action.padEnd(8)} ${shown(cli, path)}`;
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
