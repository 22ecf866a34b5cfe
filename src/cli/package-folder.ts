import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';

/** The folder that holdfast runs from: the one with bin/ and dist/ in it. */
export function packageFolder(): string {
  return dirname(dirname(realpathSync(process.argv[1] ?? '')));
}
