import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';

/** The folder that holdfast runs from, which contains bin/ and dist/. */
export function packageFolder(): string {
  return dirname(dirname(realpathSync(process.argv[1] ?? '')));
}
