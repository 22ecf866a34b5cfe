import type { Scope } from '../../install/plan/scopes.ts';
import type { Plan } from '../../install/types.ts';
import { runtimeFolder } from '../../io/runtime-paths.ts';
import type { CommandContext } from '../context.ts';
import { hiddenStatusLine, whatSwitchesHooksOff } from '../registered-hooks.ts';
import { changeLines, closingLines, permissionLine, statusLineLine } from './install-summary.ts';
import { formatPatch } from './patch.ts';

/** What `init --dry-run` prints. */
export function dryRunText(
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
export function resultText(
  cli: CommandContext,
  scope: Scope,
  plan: Plan,
  { isNew, isElsewhere }: { isNew: boolean; isElsewhere: boolean },
): string {
  const { changes, backups } = plan;
  if (changes.length === 0) {
    const updated = isNew ? ' Its files were updated.' : '';
    const line = hasStatusLine(plan) ? ', with the status line' : '';
    return `holdfast is already installed (scope ${scope}${line}); nothing had to change.${updated}`;
  }
  const saved = backups.map(({ path }) => `  saved    ${path}`);
  return [
    `Installed holdfast (scope ${scope}).`,
    ...changeLines(cli, changes),
    ...saved,
    permissionLine(),
    statusLineLine(hasStatusLine(plan), hiddenStatusLine(cli, scope)),
    '',
    ...closingLines(scope, { isElsewhere, off: whatSwitchesHooksOff(cli) }),
  ].join('\n');
}

/** Whether the installation that the plan adds, which is the last one, has the status line. */
export function hasStatusLine({ installs }: Plan): boolean {
  return installs.installs.at(-1)?.statusLine !== undefined;
}
