import { createRequire } from 'node:module';
import { join } from 'node:path';
import { packageFolder } from '../installation.ts';

/** A separate bundle, so that no other command loads the MCP library. It reads the same arguments. */
export function serveMcp(): void {
  createRequire(join(packageFolder(), 'bin/'))('../dist/mcp.cjs');
}
