import { existsSync } from 'node:fs';
import { errorCode } from '../../io/read-file.ts';
import { readRecord } from '../record/record-file.ts';
import { runtimeFolder, installsFile } from '../../io/runtime-paths.ts';

/** Called after every command, so it imports nothing that only an update needs. */
export function isRuntimeOutdated(config: string, packageFolder: string, version: string): boolean {
  if (!existsSync(installsFile(config)) || runtimeFolder(config) === packageFolder) return false;
  try {
    return isOlderThan(version, config);
  } catch (error) {
    // Without read access the hooks stay as they are; `doctor` reports it.
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

/** false for a damaged record: `init` and `uninstall` report that. */
export function isOlderThan(version: string, config: string): boolean {
  const installs = readRecord(config);
  return installs !== null && isNewer(version, installs.runtime.version);
}

export function isNewer(version: string, other: string): boolean {
  const [a, b] = [partsOf(version), partsOf(other)];
  const at = a.numbers.findIndex((number, index) => number !== b.numbers[index]);
  if (at >= 0) return (a.numbers[at] ?? 0) > (b.numbers[at] ?? 0);
  if (a.preview === '' || b.preview === '') return a.preview === '' && b.preview !== '';
  return a.preview.localeCompare(b.preview, 'en', { numeric: true }) > 0;
}

/** Parses `1.2.0-beta.3+build`; anything else counts as 0.0.0. */
function partsOf(version: string): { numbers: number[]; preview: string } {
  const [, major = 0, minor = 0, patch = 0, preview = ''] =
    /^(\d+)\.(\d+)\.(\d+)(?:-([^+]+))?/.exec(version) ?? [];
  return { numbers: [major, minor, patch].map(Number), preview };
}
