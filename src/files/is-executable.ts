import { accessSync, constants, statSync } from 'node:fs';

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Whatever the reason, a shell would not start it either.
    return false;
  }
}
