import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** The folders of a PATH that no project decides about: absolute, and not those that npm adds while a script runs. */
export const searchFolders = (search = ''): string[] =>
  search
    .split(delimiter)
    .filter(
      (folder) =>
        isAbsolute(folder) &&
        !/[\\/](?:node_modules[\\/]\.bin[\\/]?$|_npx[\\/])/.test(folder),
    );

/** Null if a shell in another project would not find it. */
export function findOnPath(
  name: string,
  search: string | undefined,
): string | null {
  const names =
    process.platform === 'win32' ? [`${name}.exe`, `${name}.cmd`] : [name];
  const paths = names.flatMap((each) =>
    searchFolders(search).map((folder) => join(folder, each)),
  );
  return paths.find(isExecutable) ?? null;
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

/** What hooks, slash commands and the module start: a path only if a shell would not find the name. */
export const nodeProgram = (): string =>
  findOnPath('node', process.env['PATH']) === null ? process.execPath : 'node';
