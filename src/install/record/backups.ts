import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { removeIfEmpty, removeIfThere } from '../../io/remove.ts';
import { removeLeftovers } from '../../io/replace-text.ts';
import type { Installs } from './record.ts';
import { backupFolder } from '../../io/runtime-paths.ts';

/** Removes the backups that no installation refers to. */
export function tidyBackups(config: string, { installs }: Installs): void {
  const folder = backupFolder(config);
  if (!existsSync(folder)) return;
  const needed = new Set(installs.flatMap(({ edited }) => edited.map(({ backup }) => backup)));
  removeLeftovers(folder);
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (/^[0-9a-f]{14}-/.test(name) && !needed.has(path)) removeIfThere(path);
  }
  removeIfEmpty(folder);
}
