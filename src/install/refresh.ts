import { codeOf } from '../io/read-file.ts';
import { exclusively } from './exclusively.ts';
import { isOlderThan, isRuntimeOutdated } from './outdated.ts';
import { readRecord, writeRecord } from './record-file.ts';
import { copyRuntime } from './runtime.ts';
import { homeOf } from './runtime-places.ts';

/** After an update of the package the hooks follow it: the newest holdfast that was used here is what they run. */
export function refreshRuntime(config: string, packageFolder: string, version: string): void {
  if (!isRuntimeOutdated(config, packageFolder, version)) return;
  try {
    exclusively(config, () => {
      if (!isOlderThan(version, config)) return;
      copyRuntime(packageFolder, homeOf(config));
      writeRecord(config, { ...readRecord(config).installs, runtime: { version } });
    });
  } catch (error) {
    // Where this command may not write there, the hooks stay as they are; `doctor` tells.
    if (codeOf(error) === undefined) throw error;
  }
}
