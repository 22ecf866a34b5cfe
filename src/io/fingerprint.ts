import { lstatSync, type Stats } from 'node:fs';

/** File systems keep time in steps of up to this long: within one, two writes may leave the same mark. */
const COARSEST_CLOCK = 2_000;

/** Changes with every write to a file; null where the file is no plain one, or too new to tell. */
export function fingerprintOf(full: string): string | null {
  return statFingerprint(full)?.mark ?? null;
}

export interface FingerprintedFile {
  mark: string | null;
  modifiedAt: number;
  bytes: number;
}

export function statFingerprint(full: string): FingerprintedFile | null {
  const stat = lstatSync(full, { throwIfNoEntry: false });
  return stat === undefined
    ? null
    : { mark: fingerprintFrom(stat), modifiedAt: stat.mtimeMs, bytes: stat.size };
}

export function fingerprintFrom(stat: Stats): string | null {
  return stat.isFile() ? markBy(stat) : null;
}

/** Changes with every name that comes into a folder or goes; null where it is none, or too new to tell. */
export function folderFingerprint(full: string): string | null {
  const stat = lstatSync(full, { throwIfNoEntry: false });
  return stat?.isDirectory() === true ? markBy(stat) : null;
}

function markBy({ ino, size, mtimeMs, ctimeMs }: Stats): string | null {
  const age = Date.now() - Math.max(mtimeMs, ctimeMs);
  return Math.abs(age) < COARSEST_CLOCK ? null : `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}
