import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';
import type { Scope } from './scopes.ts';

/** The words that call holdfast in the agent's shell. */
export function invocationFor(
  scope: Scope,
  options: { program: string; search: string | undefined; root: string },
): string {
  const { program, search, root } = options;
  if (scope === 'project') {
    return existsSync(join(root, 'node_modules', 'holdfast')) ? 'npx holdfast' : 'holdfast';
  }
  return isOnPath('holdfast', search) ? 'holdfast' : `node ${quoted(program)}`;
}

/** As a shell in any project would find it: what npm puts there for the run of a script does not count. */
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

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Whatever the reason, a shell would not start it either.
    return false;
  }
}

/** For the agent's shell, which is a POSIX one on every system. */
function quoted(path: string): string {
  const plain = path.split(sep).join('/');
  return /^[\w@%+=:,./-]+$/.test(plain) ? plain : `'${plain.replaceAll("'", `'\\''`)}'`;
}
