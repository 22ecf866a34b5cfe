import { existsSync } from 'node:fs';
import { codeOf } from '../io/read-file.ts';
import { exclusively } from './exclusively.ts';
import { readRecord, writeRecord } from './record-file.ts';
import { copyRuntime } from './runtime.ts';
import { homeOf, installsFile } from './runtime-places.ts';

/** After an update of the package the hooks follow it: the newest holdfast that was used here is what they run. */
export function refreshRuntime(config: string, packageFolder: string, version: string): void {
  if (!existsSync(installsFile(config)) || homeOf(config) === packageFolder) return;
  try {
    if (!isOutdated(config, version)) return;
    exclusively(config, () => {
      if (!isOutdated(config, version)) return;
      copyRuntime(packageFolder, homeOf(config));
      writeRecord(config, { ...readRecord(config).installs, runtime: { version } });
    });
  } catch (error) {
    // Where this command may not write there, the hooks stay as they are; `doctor` tells.
    if (codeOf(error) === undefined) throw error;
  }
}

/** What a damaged record says is not known: it is left for `init` and `uninstall` to tell of. */
function isOutdated(config: string, version: string): boolean {
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
