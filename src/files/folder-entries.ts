import { readdirSync, type Dirent } from 'node:fs';
import { errorCode } from './read-file.ts';

/** A folder that is gone, or that this user may not read, has no entries. */
export function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const code = errorCode(error) ?? '';
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP'].includes(code)) return [];
    throw error;
  }
}
