import { createTwoFilesPatch } from 'diff';
import type { Change } from '../../install/draft.ts';
import { escapeInvisible, withoutHostTags } from '../../text/sanitize.ts';
import { shownPath } from '../view/layout.ts';
import type { CommandContext } from '../view/output.ts';

export interface ChangedFile {
  path: string;
  action: 'created' | 'changed' | 'removed';
}

export function changedFile({ path, before, after }: Change): ChangedFile {
  return { path, action: after === null ? 'removed' : before === null ? 'created' : 'changed' };
}

/** The planned changes in the format of `diff -u`. */
export function formatPatch(cli: CommandContext, changes: readonly Change[]): string {
  const patches = changes.map(({ path, before, after, isPrivate }) =>
    createTwoFilesPatch(
      before === null ? '/dev/null' : displayPath(cli, path),
      after === null ? '/dev/null' : displayPath(cli, path),
      before ?? '',
      after ?? '',
      undefined,
      undefined,
      // Lines near ours in the host's own file may contain secrets.
      { context: isPrivate ? 0 : 3 },
    ).replace(/^(?:Index: .*\n)?=+\n/, ''),
  );
  return visible(patches.join('\n'));
}

/** Makes hidden characters visible, except tabs and line ends. */
function visible(patch: string): string {
  return patch
    .split(/(\r?\n|\t)/)
    .map((part, index) => (index % 2 === 0 ? withoutHostTags(escapeInvisible(part)) : part))
    .join('');
}

/** Relative to the working directory if the file is inside it. */
export function displayPath(cli: CommandContext, path: string): string {
  return shownPath(cli.cwd, path);
}
