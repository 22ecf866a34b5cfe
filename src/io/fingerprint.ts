import { lstatSync, type Stats } from 'node:fs';
import { currentTime } from './clock.ts';

/** File systems round times to up to two seconds, so two writes within that time can leave the same fingerprint. */
const CLOCK_RESOLUTION = 2_000;

export interface FingerprintedFile {
  mark: string | null;
  modifiedAt: number;
  bytes: number;
}

export function statFingerprint(fullPath: string): FingerprintedFile | null {
  const stat = lstatSync(fullPath, { throwIfNoEntry: false });
  return stat === undefined
    ? null
    : { mark: fingerprintFrom(stat), modifiedAt: stat.mtimeMs, bytes: stat.size };
}

/** A text that changes with every write to the file; null if it is not a regular file or was written just now. */
export function fingerprintFrom(stat: Stats): string | null {
  if (!stat.isFile()) return null;
  const { ino, size, mtimeMs, ctimeMs } = stat;
  const isNew = Math.abs(+currentTime() - Math.max(mtimeMs, ctimeMs)) < CLOCK_RESOLUTION;
  return isNew ? null : `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}
