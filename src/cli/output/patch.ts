import { createTwoFilesPatch } from 'diff';
import { relative } from 'node:path';
import { withoutHostTags } from '../../util/sanitize.ts';
import { escapeInvisible } from '../../util/escape-invisible.ts';
import type { Change } from '../../install/types.ts';
import type { CommandContext } from '../context.ts';

export interface ChangedFile {
  path: string;
  action: 'created' | 'changed' | 'removed';
}

export function changedFile({ path, before, after }: Change): ChangedFile {
  return { path, action: after === null ? 'removed' : before === null ? 'created' : 'changed' };
}

/** What would be changed, as `diff -u` shows it. */
export function formatPatch(cli: CommandContext, changes: readonly Change[]): string {
  const patches = changes.map(({ path, before, after, isPrivate }) =>
    createTwoFilesPatch(
      before === null ? '/dev/null' : displayPath(cli, path),
      after === null ? '/dev/null' : displayPath(cli, path),
      before ?? '',
      after ?? '',
      undefined,
      undefined,
      // What stands around our lines in the host's own file may be secret.
      { context: isPrivate === true ? 0 : 3 },
    ).replace(/^(?:Index: .*\n)?=+\n/, ''),
  );
  return seen(patches.join('\n'));
}

/** Whoever wants to know what would be written is shown all of it: tabs and the ends of lines are no secrets. */
function seen(patch: string): string {
  return patch
    .split(/(\r?\n|\t)/)
    .map((part, index) => (index % 2 === 0 ? withoutHostTags(escapeInvisible(part)) : part))
    .join('');
}

/** From where one stands, if that is shorter to read. */
export function displayPath(cli: CommandContext, path: string): string {
  const near = relative(cli.cwd, path);
  return near.startsWith('..') || near === '' ? path : near;
}
