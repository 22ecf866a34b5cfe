import { errorCode } from '../../io/read-file.ts';
import { withInstallLock } from '../with-install-lock.ts';
import { isOlderThan, isRuntimeOutdated } from './outdated.ts';
import { readRecord, writeRecord } from '../record/record-file.ts';
import { copyRuntime } from './runtime.ts';
import { runtimeFolder } from '../../io/runtime-paths.ts';

/** After an update of the package the hooks follow it: the newest holdfast that was used here is what they run. */
export function refreshRuntime(config: string, packageFolder: string, version: string): void {
  if (!isRuntimeOutdated(config, packageFolder, version)) return;
  try {
    withInstallLock(config, () => {
      if (!isOlderThan(version, config)) return;
      copyRuntime(packageFolder, runtimeFolder(config));
      writeRecord(config, { ...readRecord(config).installs, runtime: { version } });
    });
  } catch (error) {
    // Where this command may not write there, the hooks stay as they are; `doctor` tells.
    if (errorCode(error) === undefined) throw error;
  }
}
