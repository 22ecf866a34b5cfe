import { basename, dirname } from 'node:path';
import { ALLOWED_COMMANDS } from '../../sessions/permission.ts';
import type { Scope } from '../../install/places.ts';
import type { Change } from '../../install/draft.ts';
import type { CommandContext } from '../view/output.ts';
import type { HiddenStatusLine } from '../view/registered-hooks.ts';
import { changedFile, displayPath } from './patch.ts';

/** The changed files, a line for each folder in which several are treated alike. */
export function changeLines(cli: CommandContext, changes: readonly Change[]): string[] {
  const groups = new Map<string, string[]>();
  for (const change of changes) {
    const { path, action } = changedFile(change);
    const key = `${action}\n${dirname(path)}`;
    groups.set(key, [...(groups.get(key) ?? []), path]);
  }
  return [...groups].map(([key, paths]) => {
    const [action = ''] = key.split('\n');
    const [first = ''] = paths;
    const where = displayPath(cli, paths.length === 1 ? first : dirname(first));
    const names = paths.map((path) => basename(path)).join(', ');
    return `  ${action.padEnd(8)} ${paths.length === 1 ? where : `${where}: ${names}`}`;
  });
}

export function permissionLine(): string {
  return `  allowed  holdfast ${ALLOWED_COMMANDS.join(', ')}: the agent runs these without a permission prompt`;
}

export function statusLineLine(
  isInstalled: boolean,
  { hiddenBy, hides }: HiddenStatusLine,
): string {
  if (!isInstalled)
    return '  offered  `holdfast init --statusline` shows the run and the context fill below the prompt';
  if (hiddenBy !== null)
    return `  hidden   the status line: Claude Code shows the one of ${hiddenBy} in this project; ${RUNS_BOTH}`;
  const shown = '  shown    the run and the context fill, in the status line below the prompt';
  return hides === null ? shown : `${shown}; yours of ${hides} is hidden by it here; ${RUNS_BOTH}`;
}

const RUNS_BOTH = '`holdfast init --statusline` runs both';

const PROTECTED: Record<Scope, string> = {
  local: 'you, in this project',
  project: 'everyone who works in this project, once these files are committed',
  user: 'you, in every project',
};

const HOLDERS_OF_FILES = 'everyone who works in this project and has these files';

export interface Obstacles {
  /** The files are written through a link to another folder, so they cannot be committed with the project. */
  isElsewhere: boolean;
  /** What keeps all hooks from running, and what to do about it. */
  off: string | null;
}

/** What `init` ends with: what protects the user now, what to type next, how to remove it. */
export function closingLines(scope: Scope, { isElsewhere, off }: Obstacles): string[] {
  const who = scope === 'project' && isElsewhere ? HOLDERS_OF_FILES : PROTECTED[scope];
  const option = scope === 'local' ? '' : ` --scope ${scope}`;
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
    `Remove: \`holdfast uninstall${option}\``,
  ];
}
