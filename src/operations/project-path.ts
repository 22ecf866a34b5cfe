import { existsSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import type { OperationContext } from './context.ts';

/** A path from the project root; given from there, or from where one stands. */
export function projectPath({ root, cwd }: OperationContext, given: string): string {
  const fromHere = resolve(cwd, given);
  const fromRoot = join(root, given);
  const full = !existsSync(fromHere) && existsSync(fromRoot) ? fromRoot : fromHere;
  return relative(root, full).split(sep).join('/');
}
