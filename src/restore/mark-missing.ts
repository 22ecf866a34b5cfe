import { isAbsent } from '../io/read-file.ts';

/** Files beyond this number are taken to exist. */
const MAX_LOOKUPS = 200;

/** Writes a file of an earlier phase or step as it is shown: one that does not exist says so. */
export function missingMarker(root: string): (path: string) => string {
  let left = MAX_LOOKUPS;
  return (path) => {
    left -= 1;
    return left >= 0 && isAbsent(root, path) ? `${path} (missing)` : path;
  };
}
