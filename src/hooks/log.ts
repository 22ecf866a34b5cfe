import { join } from 'node:path';
import { sanitizeLine, truncate } from '../text/sanitize.ts';
import { appendLine, overwriteFile } from '../files/atomic-write.ts';
import { readEnd } from '../files/read-file.ts';
import { write } from '../files/streams.ts';
import { LOG_FILE, STATE_FOLDER } from '../state/paths.ts';
import { isOwnFolder } from '../state/store/state-folder.ts';

const MAX_BYTES = 64_000;
const MAX_LINE = 1_000;

/** Appends to holdfast.log, which `doctor` shows. Without a state folder it writes to stderr, so as not to create one. */
export function logFailure(root: string | null, event: string, error: unknown, now: Date): void {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const line = truncate(sanitizeLine(`${now.toISOString()} ${event} ${text}`), MAX_LINE);
  if (root === null || !isOwnFolder(root, STATE_FOLDER) || !append(join(root, LOG_FILE), line)) {
    write(2, `holdfast: ${line}\n`);
  }
}

function append(path: string, line: string): boolean {
  try {
    const size = appendLine(path, line);
    // Not the whole of it is read: a log that came with the repository may be of any size.
    if (size > MAX_BYTES)
      overwriteFile(path, `${(readEnd(path, MAX_BYTES / 2) ?? []).join('\n')}\n`);
    return true;
  } catch {
    // The log cannot be written, for example on a full disk; the caller writes to stderr instead.
    return false;
  }
}
