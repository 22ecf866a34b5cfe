import { readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { errorCode, locate } from '../io/read-file.ts';

const ARCHIVE_NAMES = /^(?:completed?|done|archived?|finished)$/i;

/** True for a plan in a folder such as `CLAUDE/Plan/Completed/001-x/`. */
export function isInArchiveFolder(planPath: string): boolean {
  return ARCHIVE_NAMES.test(planPath.split('/').at(-3) ?? '');
}

/** Where the plan is now, if it was moved to an archive folder beside its own folder or beside the folder of all plans. */
export function pathInArchive(root: string, planPath: string): string | null {
  const parts = planPath.split('/');
  const plan = parts.slice(-2).join('/');
  const folders = [parts.slice(0, -2).join('/'), parts.slice(0, -3).join('/')];
  const paths = folders.flatMap((folder) =>
    archivesIn(root, folder).map((name) => posix.join(folder, name, plan)),
  );
  return paths.find((path) => locate(root, `${root}/${path}`) === 'inside') ?? null;
}

function archivesIn(root: string, folder: string): string[] {
  const full = `${root}/${folder}`;
  if (locate(root, full) !== 'inside') return [];
  try {
    return readdirSync(full).filter((name) => ARCHIVE_NAMES.test(name));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(errorCode(error) ?? '')) return [];
    throw error;
  }
}
