import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ARCHIVE_FOLDER, driverFile, logFolder, LOGS_FOLDER } from '../../state/paths.ts';
import { hideFromGit, makeFolder } from '../../state/store/state-folder.ts';
import type { Worktree } from './worktree.ts';

/** Brings what a run that was started in the worktree has left back to the checkout: its record and its log. */
export function bringRecords({ origin, root }: Pick<Worktree, 'origin' | 'root'>): void {
  for (const folder of [ARCHIVE_FOLDER, LOGS_FOLDER]) {
    if (!existsSync(join(root, folder))) continue;
    mkdirSync(join(origin, folder), { recursive: true });
    hideFromGit(join(origin, folder));
    cpSync(join(root, folder), join(origin, folder), { recursive: true, force: false });
  }
}

/**
 * Brings the log of a run that was moved to the worktree, as a folder in the log that the run has here: both number their
 * files from 1.
 */
export function bringLog({ origin, root, top }: Worktree, runId: string): void {
  const from = join(root, logFolder(runId));
  if (!existsSync(from)) return;
  const folder = `${logFolder(runId)}/${basename(top)}`;
  makeFolder(origin, folder);
  const left = new Set(
    [driverFile(runId), `${logFolder(runId)}/.lock`].map((path) => join(root, path)),
  );
  cpSync(from, join(origin, folder), {
    recursive: true,
    filter: (path) => !left.has(path),
  });
}
