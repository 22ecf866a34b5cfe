import { readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { errorCode, locate } from '../io/read-file.ts';

const ARCHIVE_NAMES = new Set(['complete', 'completed', 'done', 'archive', 'archived', 'finished']);
const isArchiveName = (name: string): boolean => ARCHIVE_NAMES.has(name.toLowerCase());

/** True for a plan in a folder such as `CLAUDE/Plan/Completed/001-x/`. */
export function isInArchiveFolder(planPath: string): boolean {
  return isArchiveName(planPath.split('/').at(-3) ?? '');
}

/** Where the plan is now, if it was moved to an archive folder beside it, its folder or the folder of all plans. */
export function pathInArchive(root: string, planPath: string): string | null {
  const parts = planPath.split('/');
  const [name = '', file = ''] = parts.slice(-2);
  const folders = [parts.slice(0, -2).join('/'), parts.slice(0, -3).join('/')];
  const ofFolder = archivesIn(root, folders).flatMap((archive) =>
    [name, ...namesIn(root, archive, (entry) => entry.replace(DATE, '') === name)].map((entry) =>
      posix.join(archive, entry, file),
    ),
  );
  // A plan that shares its folder with others is moved without the folder.
  const ofFile = archivesIn(root, [parts.slice(0, -1).join('/')]).map((archive) =>
    posix.join(archive, file || name),
  );
  const paths = [...ofFolder, ...ofFile];
  return paths.find((path) => locate(root, `${root}/${path}`) === 'inside') ?? null;
}

function archivesIn(root: string, folders: string[]): string[] {
  return folders.flatMap((folder) =>
    namesIn(root, folder, isArchiveName).map((entry) => posix.join(folder, entry)),
  );
}

/** OpenSpec puts the date in front of the name of a change that it archives. */
const DATE = /^\d{4}-\d\d-\d\d-/;

function namesIn(root: string, folder: string, isWanted: (name: string) => boolean): string[] {
  const full = `${root}/${folder}`;
  if (locate(root, full) !== 'inside') return [];
  try {
    return readdirSync(full).filter(isWanted);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(errorCode(error) ?? '')) return [];
    throw error;
  }
}
