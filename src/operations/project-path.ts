import { existsSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import type { OperationContext } from './open-project.ts';

/** A path relative to the project root. The given one may be relative to the root or to the working directory. */
export function projectPath({ root, cwd }: OperationContext, given: string): string {
  const inRoot = /^\{project_root\}\/+(.+)$/.exec(given)?.[1];
  const fromHere = inRoot === undefined ? resolve(cwd, given) : join(root, inRoot);
  const fromRoot = join(root, given);
  const full = !existsSync(fromHere) && existsSync(fromRoot) ? fromRoot : fromHere;
  return relative(root, full).split(sep).join('/');
}
