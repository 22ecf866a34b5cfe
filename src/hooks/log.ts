import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { sanitizeLine, truncate } from '../text/sanitize.ts';
import { appendLine, overwriteFile } from '../files/atomic-write.ts';
import { LOG_FILE, STATE_FOLDER } from '../state/paths.ts';
import { isOwnFolder } from '../state/store/state-folder.ts';

const MAX_BYTES = 64_000;
const MAX_LINE = 1_000;

/** Appends to holdfast.log, which `doctor` shows. Without a state folder it writes to stderr, so as not to create one. */
export function logFailure(root: string | null, event: string, error: unknown, now: Date): void {
  const line = truncate(sanitizeLine(`${now.toISOString()} ${event} ${textOf(error)}`), MAX_LINE);
  if (root === null || !isOwnFolder(root, STATE_FOLDER) || !append(join(root, LOG_FILE), line)) {
    writeStderr(`holdfast: ${line}\n`);
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

function writeStderr(text: string): void {
  try {
    writeSync(2, text);
  } catch {
    // stderr is closed; a hook must not fail because of its log.
  }
}

function append(path: string, line: string): boolean {
  try {
    const size = appendLine(path, line);
    if (size > MAX_BYTES) {
      const newer = endOf(path, size, MAX_BYTES / 2);
      overwriteFile(path, newer.slice(newer.indexOf('\n') + 1));
    }
    return true;
  } catch {
    // The log cannot be written, for example on a full disk; the caller writes to stderr instead.
    return false;
  }
}

/** Not the whole of it: a log that came with the repository may be of any size. */
function endOf(path: string, size: number, length: number): string {
  const bytes = Buffer.alloc(length);
  const file = openSync(path, 'r');
  try {
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, length, size - length));
  } finally {
    closeSync(file);
  }
}
