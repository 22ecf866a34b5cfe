import { createRequire } from 'node:module';
import { join } from 'node:path';
import { packageFolder } from '../installation.ts';

/** Reached only if options precede the command; otherwise bin/holdfast.cjs loads this bundle directly. */
export function callHook(words: string[]): void {
  process.argv.splice(2, Infinity, ...words);
  createRequire(join(packageFolder(), 'bin/'))('../dist/hook.cjs');
}
