import { existsSync } from 'node:fs';
import { errorCode } from '../../io/read-file.ts';
import { readRecord } from '../record/record-file.ts';
import { runtimeFolder, installsFile } from '../../io/runtime-paths.ts';

/** Asked after every command, so it loads nothing that only an update needs. */
export function isRuntimeOutdated(config: string, packageFolder: string, version: string): boolean {
  if (!existsSync(installsFile(config)) || runtimeFolder(config) === packageFolder) return false;
  try {
    return isOlderThan(version, config);
  } catch (error) {
    // Where this command may not read, the hooks stay as they are; `doctor` tells.
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

/** What a damaged record says is not known: it is left for `init` and `uninstall` to tell of. */
export function isOlderThan(version: string, config: string): boolean {
  const { installs, damaged } = readRecord(config);
  return !damaged.includes(installsFile(config)) && isNewer(version, installs.runtime.version);
}

export function isNewer(version: string, other: string): boolean {
  const [a, b] = [partsOf(version), partsOf(other)];
  const at = a.numbers.findIndex((number, index) => number !== b.numbers[index]);
  if (at >= 0) return (a.numbers[at] ?? 0) > (b.numbers[at] ?? 0);
  if (a.preview === '' || b.preview === '') return a.preview === '' && b.preview !== '';
  return a.preview.localeCompare(b.preview, 'en', { numeric: true }) > 0;
}

/** `1.2.0-beta.3+build`; what is no version counts as older than any. */
function partsOf(version: string): { numbers: number[]; preview: string } {
  const [, major = 0, minor = 0, patch = 0, preview = ''] =
    /^(\d+)\.(\d+)\.(\d+)(?:-([^+]+))?/.exec(version) ?? [];
  return { numbers: [major, minor, patch].map(Number), preview };
}
