import { join } from 'node:path';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { isSigned, isUnmodified } from './signature.ts';
import type { Install } from '../record/record.ts';
import { placesOf, type Places, type Scope } from './scopes.ts';
import { placesOfOurs } from './settings-hooks.ts';
import { strictJsonProblem } from '../../util/strict-json.ts';
import type { Disk, PlanRequest } from '../types.ts';

export interface OwnFile {
  path: string;
  look: OwnFileState;
}

export type OwnFileState =
  | { kind: 'absent'; text: null }
  | { kind: 'ours'; text: string }
  | { kind: 'changed' | 'foreign' };

/** The files this installation wrote; without a record, those that are signed and that no other scope needs. */
export function findOwnFiles(
  request: PlanRequest,
  places: Places,
  former: Install | undefined,
  others: readonly Install[],
): OwnFile[] {
  const isTaken = ownedByOthers(request, places, others);
  const paths = former?.files ?? (isShared(request) ? [] : textsIn(request.disk, places));
  return paths
    .filter((path) => !isTaken(path))
    .map((path) => ({ path, look: inspectOwnFile(request.disk, path, former) }));
}

export function inspectOwnFile(
  disk: Disk,
  path: string,
  former: Install | undefined,
): OwnFileState {
  const text = readIfText(disk, path);
  // A broken link belongs to the user: its target may come back.
  if (text === null)
    return disk.target(path) === path ? { kind: 'absent', text } : { kind: 'foreign' };
  if (text !== undefined && isUnmodified(text)) return { kind: 'ours', text };
  const wasOurs = (text !== undefined && isSigned(text)) || former?.files.includes(path) === true;
  return { kind: wasOurs ? 'changed' : 'foreign' };
}

/** Whether the other scope that uses the same folders (`local` and `project`) is installed too. */
export function isShared({ scope, root, config, disk }: PlanRequest): boolean {
  const other = OTHER_OF[scope];
  return other !== null && isRegistered(disk, placesOf(other, root, config).settings);
}

const OTHER_OF: Record<Scope, Scope | null> = { local: 'project', project: 'local', user: null };

/** If the settings cannot be parsed, whether they mention holdfast. */
function isRegistered(disk: Disk, path: string): boolean {
  const text = readIfText(disk, path);
  if (text === null || text === undefined) return text === undefined;
  return strictJsonProblem(text) === null
    ? placesOfOurs(text).length > 0
    : text.includes('holdfast');
}

/** Files of other installations and, for a local installation, files that git tracks, which belong to the project. */
export function ownedByOthers(
  { scope, disk }: PlanRequest,
  { commands, skill }: Places,
  others: readonly Install[],
): (path: string) => boolean {
  const isInRepository = (folder: string): boolean =>
    disk.excludeFor(disk.real(folder)) !== undefined;
  const folders = scope === 'local' ? [commands, skill].filter(isInRepository) : [];
  const tracked = new Set(
    folders.flatMap((folder) => disk.trackedIn(folder).map((name) => join(folder, name))),
  );
  return (path) => tracked.has(path) || others.some(({ files }) => files.includes(path));
}

function textsIn(disk: Disk, { commands, skill }: Places): string[] {
  return [commands, skill].flatMap((folder) =>
    disk
      .names(folder)
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  );
}

/** undefined if it is not readable text, and so not written by holdfast. */
export function readIfText(disk: Disk, path: string): string | null | undefined {
  try {
    return disk.read(path);
  } catch (error) {
    if (error instanceof HoldfastError) return undefined;
    throw error;
  }
}
