import { HoldfastError } from '../errors/holdfast-error.ts';
import { removeIfThere } from '../io/remove.ts';
import { replaceText } from '../io/replace-text.ts';
import { disk } from './disk.ts';
import type { Change } from './types.ts';

const ATTEMPTS = 3;

/** Applies all changes or none. A file that has changed since the plan was made is not touched. */
export function applyChanges(changes: readonly Change[]): void {
  const done: Change[] = [];
  try {
    for (const change of changes) {
      apply(change);
      done.push(change);
    }
  } catch (error) {
    for (const change of done.toReversed()) undo(change);
    throw error;
  }
}

/** The client may write its settings while this runs; then `work` has to plan again. */
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

/** For new files; existing ones keep their permissions. */
const OWNER_ONLY = { mode: 0o600 };

function apply({ path, before, after, isPrivate }: Change): void {
  const confirm = (): void => {
    if (disk.read(path) !== before)
      throw new HoldfastError('changed_meanwhile', `${path} is being changed by another program`, {
        hint: 'try again in a moment; nothing was changed',
      });
  };
  if (after !== null) {
    replaceText(path, after, { confirm, ...(isPrivate === true ? OWNER_ONLY : {}) });
    return;
  }
  confirm();
  removeIfThere(path);
}

function undo({ path, before, after, ...rest }: Change): void {
  try {
    apply({ ...rest, path, before: after, after: before });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new HoldfastError(
      'half_done',
      `${path} could not be restored (${reason}) after a later step failed`,
      {
        hint: 'check the permissions and the free space, then run the same command again, or `holdfast uninstall`',
      },
    );
  }
}
