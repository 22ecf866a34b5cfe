import { createRequire } from 'node:module';
import { join } from 'node:path';
import { packageFolder } from '../package-folder.ts';

/** A bundle of its own, which reads the same arguments; the way here is for those who put options first. */
export function callHook(): void {
  createRequire(join(packageFolder(), 'bin/'))('../dist/hook.cjs');
}
