import { posix } from 'node:path';
import { expandGlob } from '../io/glob.ts';
import { locate } from '../io/read-file.ts';

const ARCHIVE_NAMES = new Set(['complete', 'completed', 'done', 'archive', 'archived', 'finished']);
const isArchive = (folder: string): boolean =>
  ARCHIVE_NAMES.has(posix.basename(folder).toLowerCase());

/** True for a plan in a folder such as `CLAUDE/Plan/Completed/001-x/`. */
export function isInArchiveFolder(planPath: string): boolean {
  return isArchive(posix.join(planPath, '../..'));
}

/** Where the plan is now, if it was moved to an archive folder beside it, its folder or the folder of all plans. */
export function pathInArchive(root: string, planPath: string): string | null {
  const folder = posix.dirname(planPath);
  const [name, file] = [posix.basename(folder), posix.basename(planPath)];
  const archivesIn = (path: string): string[] =>
    expandGlob(root, posix.join(folder, path, '*')).filter(isArchive);
  // OpenSpec puts the date in front of the name of a change that it archives.
  const isMoved = (path: string): boolean => {
    const entry = posix.basename(path);
    return entry === name || entry.replace(/^\d{4}-\d\d-\d\d-/, '') === name;
  };
  const paths = [
    ...['..', '../..']
      .flatMap(archivesIn)
      .flatMap((archive) => expandGlob(root, `${archive}/*${name}`))
      .filter(isMoved)
      .map((path) => `${path}/${file}`),
    // A plan that shares its folder with others is moved without the folder.
    ...archivesIn('').map((archive) => `${archive}/${file}`),
  ];
  return paths.find((path) => locate(root, `${root}/${path}`) === 'inside') ?? null;
}
