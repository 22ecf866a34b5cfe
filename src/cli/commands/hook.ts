import { createRequire } from 'node:module';
import { join } from 'node:path';
import { packageFolder } from '../installation.ts';

/** Reached only if options precede `hook`; otherwise bin/holdfast.cjs loads this bundle directly. */
export function callHook(): void {
  createRequire(join(packageFolder(), 'bin/'))('../dist/hook.cjs');
}
