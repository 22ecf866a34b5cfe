import { existsSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';
import { shellQuote } from '../../util/shell-quote.ts';
import type { Scope } from './scopes.ts';
import { isExecutable } from '../../io/is-executable.ts';

/**
 * How the agent calls holdfast: as replies and guidance write it. bin/hook.sh puts it on the PATH of each session; only
 * where no shell runs that script, skill and slash commands name the program instead.
 */
export function invocationFor(
  scope: Scope,
  {
    node,
    program,
    root,
    hasShell,
  }: { node: string; program: string; root: string; hasShell: boolean },
): string {
  if (hasShell) return 'holdfast';
  if (scope === 'project')
    return existsSync(join(root, 'node_modules', 'holdfast')) ? 'npx holdfast' : 'holdfast';
  return [node, program].map((path) => shellQuote(path.split(sep).join('/'))).join(' ');
}

/** Whether a shell in any project finds it. Folders that npm adds while a script runs do not count. */
export function isOnPath(name: string, search: string | undefined): boolean {
  const endings = process.platform === 'win32' ? ['.cmd', '.exe'] : [''];
  return (search ?? '')
    .split(delimiter)
    .filter(
      (folder) =>
        folder !== '' &&
        !folder.endsWith(join('node_modules', '.bin')) &&
        !folder.includes(`${sep}_npx${sep}`),
    )
    .some((folder) => endings.some((ending) => isExecutable(join(folder, `${name}${ending}`))));
}
