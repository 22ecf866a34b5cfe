import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { notWritable } from './fs-errors.ts';
import {
  LockLost,
  removeLeftovers,
  sleep,
  temporaryName,
  type Lock,
} from './lock.ts';
import { errorCode, removeIfThere } from './read-file.ts';

/** Runs, logs and streams have what was said in a session, so nobody else may read them. */
const PRIVATE = 0o600;

interface Replacing {
  /** Of a file that does not exist yet. */
  mode?: number;
  /** Called right before the rename; an exception cancels it. */
  confirm?: () => void;
  /** Whether to wait until the content is on the disk. What may be lost when the power fails need not. */
  isDurable?: boolean;
}

/** `temporary` is in the folder of the target. */
export function writeThenRename(
  temporary: string,
  target: string,
  content: string | Uint8Array,
  { mode = PRIVATE, confirm, isDurable = true }: Replacing,
): void {
  try {
    const file = openSync(temporary, 'w', mode);
    try {
      writeFileSync(file, content);
      if (isDurable) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    confirm?.();
    renameWithRetry(temporary, target);
  } catch (error) {
    removeIfThere(temporary);
    throw error;
  }
}

/** Atomic. The temporary file is next to the lock, where the next writer removes what a killed one left. */
export function replaceFile(
  lock: Lock,
  folder: string,
  target: string,
  content: string,
): void {
  const confirm = (): void => {
    if (!lock.isHeld()) throw new LockLost();
  };
  try {
    writeThenRename(temporaryName(folder, lock), target, content, { confirm });
  } catch (error) {
    // Another process took over the lock and removed the temporary file.
    if (errorCode(error) === 'ENOENT') throw new LockLost();
    if (errorCode(error) !== 'EXDEV' || folder === dirname(target)) throw error;
    // The target is on another device than the lock, so the temporary file must be next to the target.
    removeLeftovers(target);
    replaceFile(lock, dirname(target), target, content);
  }
}

/** Replaces the content of any file atomically and keeps its permissions. */
export function replaceText(
  path: string,
  text: string | Uint8Array,
  { mode = 0o644, confirm }: Replacing = {},
): void {
  const former = statSync(path, { throwIfNoEntry: false })?.mode;
  if (former !== undefined && (former & 0o222) === 0)
    throw notWritable(path, 'read-only');
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true });
  removeTextLeftovers(folder, basename(path));
  const temporary = join(folder, `.${basename(path)}${MARK}${process.pid}`);
  writeThenRename(temporary, path, text, {
    mode: (former ?? mode) & 0o777,
    confirm: () => {
      if (former !== undefined) chmodSync(temporary, former & 0o777);
      confirm?.();
    },
  });
}

const MARK = '.holdfast-';

/** Temporary files of `replaceText` that killed writers left: of one file, or of any in the folder. */
export function removeTextLeftovers(folder: string, file?: string): void {
  const names = readdirSync(folder).filter((name) =>
    file === undefined
      ? /^\..+\.holdfast-\d+$/.test(name)
      : name.startsWith(`.${file}${MARK}`),
  );
  for (const name of names) removeIfThere(join(folder, name));
}

/** On Windows a virus scanner or an editor can keep the target open for a moment. */
function renameWithRetry(
  from: string,
  to: string,
  triesLeft = process.platform === 'win32' ? 10 : 0,
): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (
      triesLeft === 0 ||
      !['EPERM', 'EACCES', 'EBUSY'].includes(errorCode(error) ?? '')
    )
      throw error;
    sleep(20);
    renameWithRetry(from, to, triesLeft - 1);
  }
}

/**
 * Appends a line, on a new line if a killed writer left a partial one. It is one write, so that processes can append to
 * the same file without a lock. `first` is done once the file is open. Returns the file's new size.
 */
export const appendLine = (
  path: string,
  line: string,
  first?: () => void,
): number =>
  withRegularFile(path, constants.O_RDWR | constants.O_APPEND, (file) => {
    first?.();
    const { size } = fstatSync(file);
    const last = Buffer.alloc(1);
    const isHalf =
      size > 0 &&
      readSync(file, last, 0, 1, size - 1) === 1 &&
      last[0] !== 0x0a;
    writeFileSync(file, `${isHalf ? '\n' : ''}${line}\n`);
    return fstatSync(file).size;
  });

/** Not atomic: for files that only people read. */
export function overwriteFile(path: string, content: string): void {
  withRegularFile(path, constants.O_WRONLY | constants.O_TRUNC, (file) =>
    writeFileSync(file, content),
  );
}

/** Opens a file for writing. A link or FIFO in its place is replaced instead of being followed or blocking. */
function withRegularFile<T>(
  path: string,
  flags: number,
  work: (file: number) => T,
): T {
  // Windows has neither of the last two, which then add nothing.
  const { O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const open = (): number =>
    openSync(path, flags | O_CREAT | O_NOFOLLOW | O_NONBLOCK, PRIVATE);
  let file: number;
  try {
    file = open();
  } catch (error) {
    // A FIFO without a reader fails with ENXIO.
    if (!['ELOOP', 'ENXIO'].includes(errorCode(error) ?? '')) throw error;
    removeIfThere(path);
    file = open();
  }
  try {
    return work(file);
  } finally {
    closeSync(file);
  }
}
