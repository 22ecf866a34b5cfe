import { existsSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';
import { shellQuote } from '../util/shell-quote.ts';
import type { Scope } from './places.ts';
import { isExecutable } from '../io/is-executable.ts';

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

/** On Windows the client runs commands in Git Bash if that is installed; the `bash.exe` of Windows itself is not one. */
export function hasPosixShell(): boolean {
  if (process.platform !== 'win32') return true;
  const {
    CLAUDE_CODE_GIT_BASH_PATH: named,
    PATH = '',
    ProgramFiles = 'C:\\Program Files',
  } = process.env;
  if (named !== undefined && named !== '') return existsSync(named);
  const folders = PATH.split(';').filter((folder) => !/system32/i.test(folder) && folder !== '');
  return [join(ProgramFiles, 'Git', 'bin'), ...folders].some((folder) =>
    existsSync(join(folder, 'bash.exe')),
  );
}
