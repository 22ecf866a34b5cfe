import { describe } from '../errors/describe.ts';
import { HoldfastError } from '../errors/holdfast-error.ts';
import { removeIfThere } from '../io/remove.ts';
import { replaceText } from '../io/replace-text.ts';
import { disk } from './disk.ts';
import type { Change } from './types.ts';

const ATTEMPTS = 3;

/** All of them or none. A file that is no longer as it was when the change was planned is not touched. */
export function applyChanges(changes: readonly Change[]): void {
  const done: Change[] = [];
  try {
    for (const change of changes) {
      make(change);
      done.push(change);
    }
  } catch (error) {
    for (const change of done.toReversed()) undo(change);
    throw error;
  }
}

/** The host writes its settings itself while this runs: then there is another plan to make. */
export function retryOnConflict<T>(work: () => T): T {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return work();
    } catch (error) {
      const isStale = error instanceof HoldfastError && error.code === 'changed_meanwhile';
      if (!isStale || attempt === ATTEMPTS) throw error;
    }
  }
}

/** For a file that is not there yet; of others the permissions stay. */
const FOR_ITS_OWNER = { mode: 0o600 };

function make({ path, before, after, isPrivate }: Change): void {
  const confirm = (): void => {
    if (disk.read(path) !== before) throw new HoldfastError({ code: 'changed_meanwhile', path });
  };
  if (after !== null) {
    replaceText(path, after, { confirm, ...(isPrivate === true ? FOR_ITS_OWNER : {}) });
    return;
  }
  confirm();
  removeIfThere(path);
}

function undo({ path, before, after, ...rest }: Change): void {
  try {
    make({ ...rest, path, before: after, after: before });
  } catch (error) {
    const reason =
      error instanceof HoldfastError
        ? describe(error.failure).message
        : error instanceof Error
          ? error.message
          : String(error);
    throw new HoldfastError({ code: 'half_done', path, reason });
  }
}
