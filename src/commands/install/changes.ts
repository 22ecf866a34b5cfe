import { basename, dirname } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { install, uninstall } from '../../install/apply.ts';
import type { Change, InstallState, Plan } from '../../install/draft.ts';
import { requireRecord } from '../../install/record.ts';
import { escapeInvisible, withoutHostTags } from '../../text/sanitize.ts';
import { version } from '../../text/version.ts';
import { packageFolder, userConfig } from '../view/installation.ts';
import { shownPath } from '../view/output.ts';

/** The plan, carried out unless this is a dry run; `isNew`: the copy of holdfast that the hooks run was replaced. */
export function carryOut(
  action: 'init' | 'uninstall',
  dryRun: boolean,
  makePlan: (known: InstallState) => Plan,
): { plan: Plan; isNew: boolean } {
  const config = userConfig();
  if (dryRun) return { plan: makePlan({ record: requireRecord(config), made: [] }), isNew: false };
  return action === 'init'
    ? install(config, { folder: packageFolder(), version }, makePlan)
    : { plan: uninstall(config, makePlan), isNew: false };
}

export function changedFile({ path, before, after }: Change): { path: string; action: string } {
  return { path, action: after === null ? 'removed' : before === null ? 'created' : 'changed' };
}

/** The changed files, a line for each folder in which several are treated alike. */
export function changeLines(cwd: string, changes: readonly Change[]): string[] {
  const groups = new Map<string, string[]>();
  for (const change of changes) {
    const { path, action } = changedFile(change);
    const key = `  ${action.padEnd(8)} ${dirname(path)}`;
    groups.set(key, [...(groups.get(key) ?? []), path]);
  }
  return [...groups].map(([key, paths]) => {
    const [first = ''] = paths;
    const action = key.slice(0, 11);
    if (paths.length === 1) return `${action}${shownPath(cwd, first)}`;
    const names = paths.map((path) => basename(path)).join(', ');
    return `${action}${shownPath(cwd, dirname(first))}: ${names}`;
  });
}

/** What `--dry-run` prints; `more` are lines below the changes, `runtime` a sentence before the last one. */
export function dryRunText(
  cwd: string,
  changes: readonly Change[],
  isVerbose: boolean,
  { more = [], runtime = '' }: { more?: readonly string[]; runtime?: string } = {},
): string {
  if (changes.length === 0) return `Nothing would change. ${runtime}`.trimEnd();
  const end = `${runtime} Nothing was written`.trimStart();
  if (isVerbose) return `${formatPatch(cwd, changes)}\n${end}.`;
  const lines = ['Would change:', ...changeLines(cwd, changes), ...more, ''];
  return [...lines, `${end}; \`--verbose\` shows the diff.`].join('\n');
}

/** The planned changes in the format of `diff -u`, with hidden characters made visible. */
function formatPatch(cwd: string, changes: readonly Change[]): string {
  const patches = changes.map(({ path, before, after, isPrivate }) => {
    const shown = shownPath(cwd, path);
    const names = [before, after].map((text) => (text === null ? '/dev/null' : shown));
    const [from = '', to = ''] = names;
    // Lines near ours in the host's own file may contain secrets.
    const options = { context: isPrivate ? 0 : 3 };
    const patch = createTwoFilesPatch(from, to, before ?? '', after ?? '', '', '', options);
    return patch.replace(/^(?:Index: .*\n)?=+\n/, '');
  });
  return patches
    .join('\n')
    .split(/(\r?\n|\t)/)
    .map((part, index) => (index % 2 === 0 ? withoutHostTags(escapeInvisible(part)) : part))
    .join('');
}
