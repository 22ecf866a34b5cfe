import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../io/read-file.ts';
import { withInstallLock } from '../with-install-lock.ts';
import { isOlderThan, isRuntimeOutdated } from './outdated.ts';
import { requireRecord, writeRecord } from '../record/record-file.ts';
import { copyRuntime } from './runtime.ts';
import { refreshModules } from './refresh-modules.ts';
import { MODULE_FILE, runtimeFolder } from '../../io/runtime-paths.ts';

/** After an update of the package, updates the copy that the hooks run. */
export function refreshRuntime(config: string, packageFolder: string, version: string): void {
  if (!isRuntimeOutdated(config, packageFolder, version)) return;
  try {
    withInstallLock(config, () => {
      if (!isOlderThan(version, config)) return;
      copyRuntime(packageFolder, runtimeFolder(config));
      const record = requireRecord(config);
      const code = readFileSync(join(packageFolder, MODULE_FILE), 'utf8');
      writeRecord(config, {
        ...record,
        installs: refreshModules(config, record.installs, { version, code }),
        runtime: { version },
      });
    });
  } catch (error) {
    // Without write access the hooks stay as they are; `doctor` reports it.
    if (errorCode(error) === undefined) throw error;
  }
}
