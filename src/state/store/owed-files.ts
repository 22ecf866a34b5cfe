import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, locate } from '../../io/read-file.ts';
import { removeIfThere } from '../../io/remove.ts';
import { OWED_FOLDER } from '../paths.ts';

const RESTORED = '.restored';
const KEPT_FOR = 12 * 3_600_000;

/** The name of the marker of a session; null for an id that bin/hook.sh does not accept. */
export function owedFile(session: string): string | null {
  return /^[A-Za-z0-9_-]{1,128}$/.test(session) ? `${OWED_FOLDER}/${session}` : null;
}

/** Null if there is no marker. */
export function owedWrittenAt(root: string, session: string): number | null {
  const file = owedFile(session);
  const stat = file === null ? null : statSync(join(root, file), { throwIfNoEntry: false });
  return stat?.mtimeMs ?? null;
}

/** Without its marker, the next event of a session starts Node and finds out what is owed. */
export function removeOwed(root: string, now: number): void {
  const folder = join(root, OWED_FOLDER);
  const names = namesIn(folder);
  if (names.length === 0 || locate(root, folder) !== 'inside') return;
  for (const name of names) {
    const path = join(folder, name);
    if (!name.endsWith(RESTORED) || isOlderThan(path, now - KEPT_FOR)) removeIfThere(path);
  }
}

/**
 * Written when SessionStart has restored the run after a compaction, so that bin/hook.sh can answer the PostCompact that
 * follows: it empties the file.
 */
export function writeRestored(root: string, session: string): void {
  const file = restoredFile(root, session);
  if (file === null) return;
  mkdirSync(join(root, OWED_FOLDER), { recursive: true });
  if (locate(root, join(root, OWED_FOLDER)) === 'inside') writeFileSync(file, 'restored\n');
}

export function removeRestored(root: string, session: string): void {
  const file = restoredFile(root, session);
  if (file !== null) removeIfThere(file);
}

/** When bin/hook.sh answered the PostCompact of the last restore; null if it has not. */
export function postCompactAnsweredAt(root: string, session: string): number | null {
  const file = restoredFile(root, session);
  const stat = file === null ? null : statSync(file, { throwIfNoEntry: false });
  return stat?.size === 0 ? stat.mtimeMs : null;
}

function restoredFile(root: string, session: string): string | null {
  const file = owedFile(session);
  return file === null ? null : join(root, `${file}${RESTORED}`);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}

function isOlderThan(path: string, time: number): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && stat.mtimeMs < time;
}
