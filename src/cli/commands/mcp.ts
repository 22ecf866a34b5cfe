import { createRequire } from 'node:module';
import { join } from 'node:path';
import { packageFolder } from '../package-folder.ts';

/** A bundle of its own, which reads the same arguments: nothing of it is loaded for any other command. */
export function serveMcp(): void {
  createRequire(join(packageFolder(), 'bin/'))('../dist/mcp.cjs');
}
