import { lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { excludeFor } from '../io/git.ts';
import { isAbsence, notAFile, orAbsent, readWhole } from './read-whole-file.ts';
import { isTracked, trackedIn } from './plan/tracked.ts';
import type { Disk } from './types.ts';

const MAX_LINKS = 40;

export const disk: Disk = {
  read: readWhole,
  target,
  real,
  names,
  isFolder,
  isGone,
  isTracked,
  trackedIn,
  excludeFor,
};

function target(path: string): string {
  let current = path;
  for (let links = 0; links < MAX_LINKS; links += 1) {
    if (orAbsent(current, () => lstatSync(current))?.isSymbolicLink() !== true) return current;
    current = resolve(dirname(current), readlinkSync(current));
  }
  throw notAFile(path);
}

function real(path: string): string {
  const existing = orAbsent(path, () => realpathSync.native(path));
  if (existing !== null) return existing;
  const linked = target(path);
  return linked === path && dirname(path) !== path
    ? join(real(dirname(path)), basename(path))
    : real(linked);
}

function names(folder: string): string[] {
  return (
    orAbsent(folder, () => readdirSync(folder, { withFileTypes: true }))
      ?.filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .toSorted() ?? []
  );
}

function isFolder(path: string): boolean {
  return orAbsent(path, () => statSync(path))?.isDirectory() === true;
}

/** false if that cannot be determined. */
function isGone(path: string): boolean {
  try {
    return !statSync(path).isDirectory();
  } catch (error) {
    return isAbsence(error);
  }
}
