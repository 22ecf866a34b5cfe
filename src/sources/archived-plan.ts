import { posix } from 'node:path';
import { expandGlob, locate } from '../files/read-file.ts';

const ARCHIVE_NAMES = new Set([
  'complete',
  'completed',
  'done',
  'archive',
  'archived',
  'finished',
]);

/** What OpenSpec puts in front of the name of a change that it archives: `2026-01-24-add-export`. */
const DATE_PREFIX = /^(?:\d{4}-\d\d-\d\d-)?$/;

/** Whether a plan has a folder of its own in an archive folder, such as `CLAUDE/Plan/Completed/001-x/PLAN.md`. */
export function isInArchive(planPath: string): boolean {
  const parent = planPath.split('/').at(-3);
  return parent !== undefined && isArchive(parent);
}

function isArchive(folder: string): boolean {
  return ARCHIVE_NAMES.has(posix.basename(folder).toLowerCase());
}

/** Where the plan is now, if it was moved to an archive folder beside it, its folder or the folder of all plans. */
export function pathInArchive(
  root: string,
  planPath: string,
): string | undefined {
  const folder = posix.dirname(planPath);
  const name = posix.basename(folder);
  const file = posix.basename(planPath);
  const archivesIn = (relative: string): string[] =>
    expandGlob(root, posix.join(folder, relative, '*')).filter(isArchive);

  const paths: string[] = [];
  for (const archive of [...archivesIn('..'), ...archivesIn('../..')]) {
    for (const moved of expandGlob(root, `${archive}/*${name}`)) {
      const prefix = posix.basename(moved).slice(0, -name.length);
      if (DATE_PREFIX.test(prefix)) paths.push(`${moved}/${file}`);
    }
  }
  // A plan that shares its folder with others is moved without the folder.
  for (const archive of archivesIn('')) paths.push(`${archive}/${file}`);
  return paths.find((path) => locate(root, `${root}/${path}`) === 'inside');
}
