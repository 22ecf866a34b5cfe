import { lstatSync, type Stats } from 'node:fs';

/** File systems keep time in steps of up to this long: within one, two writes may leave the same mark. */
const COARSEST_CLOCK = 2_000;

/** Changes with every write to a file; null where the file is no plain one, or too new to tell. */
export function markOf(full: string): string | null {
  return markedFile(full)?.mark ?? null;
}

export interface Marked {
  mark: string | null;
  modifiedAt: number;
  bytes: number;
}

export function markedFile(full: string): Marked | null {
  const stat = lstatSync(full, { throwIfNoEntry: false });
  return stat === undefined
    ? null
    : { mark: markIn(stat), modifiedAt: stat.mtimeMs, bytes: stat.size };
}

export function markIn(stat: Stats): string | null {
  return stat.isFile() ? markBy(stat) : null;
}

/** Changes with every name that comes into a folder or goes; null where it is none, or too new to tell. */
export function markOfFolder(full: string): string | null {
  const stat = lstatSync(full, { throwIfNoEntry: false });
  return stat?.isDirectory() === true ? markBy(stat) : null;
}

function markBy({ ino, size, mtimeMs, ctimeMs }: Stats): string | null {
  const age = Date.now() - Math.max(mtimeMs, ctimeMs);
  return Math.abs(age) < COARSEST_CLOCK ? null : `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}
