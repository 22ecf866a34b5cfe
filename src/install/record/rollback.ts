import { removeIfThere } from '../../io/remove.ts';
import { tidyBackups } from './backups.ts';
import type { Installs } from './record.ts';
import { writeRecord } from './record-file.ts';
import { removeRuntime } from '../runtime/runtime.ts';
import { runtimeFolder, installsFile } from '../../io/runtime-paths.ts';

/** Records the installations that are left, and removes backups and, after the last installation, the copy. */
export function rollbackRecord(config: string, left: Installs): void {
  const isLast = left.installs.length === 0;
  if (isLast) removeIfThere(installsFile(config));
  else writeRecord(config, left);
  tidyBackups(config, left);
  if (isLast) removeRuntime(runtimeFolder(config));
}
