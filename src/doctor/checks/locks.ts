import { join } from 'node:path';
import fse from 'fs-extra';
import { lockDefect } from '../../files/lock.ts';
import { removeIfEmpty } from '../../files/read-file.ts';
import { installLock } from '../../install/record.ts';
import { LOCK_FILE, STATE_FOLDER } from '../../state/paths.ts';
import { freeSetAsideName } from '../../state/store/set-aside.ts';
import { isOwnFolder } from '../../state/store/state-folder.ts';
import { trustLock } from '../../templates/gates/trust.ts';
import type { Facts } from '../facts.ts';
import { broken, warning, type Finding } from '../finding.ts';

const REPAIR = 'holdfast doctor --fix';

/** Whether something is in the place of a lock that keeps holdfast from writing. */
export function checkLocks({ root, config, now }: Facts): Finding[] {
  const ofProject = isOwnFolder(root, STATE_FOLDER)
    ? [findingFor(join(root, LOCK_FILE), LOCK_FILE, now)]
    : [];
  const ofUser = [installLock(config), trustLock({ config })].map((path) =>
    findingFor(path, path, now),
  );
  return [...ofProject, ...ofUser].filter((finding) => finding !== null);
}

function findingFor(path: string, shown: string, now: Date): Finding | null {
  const defect = lockDefect(path);
  if (defect === null) return null;
  if (defect === 'not a file') {
    const message = `${shown} is not a file, so nothing can be written`;
    return {
      ...broken(message, REPAIR),
      repair: () => moveAway(path, shown, now),
    };
  }
  const date = fse.lstatSync(path).mtime.toISOString().slice(0, 10);
  const message = `${shown} is dated in the future (${date}): older versions wait for it`;
  return { ...warning(message, REPAIR), repair: () => remove(path, shown) };
}

function remove(path: string, shown: string): string {
  fse.unlinkSync(path);
  return `removed ${shown}`;
}

/** Whatever it is, somebody may need what is in it. */
function moveAway(path: string, shown: string, now: Date): string {
  removeIfEmpty(path);
  if (!fse.pathExistsSync(path)) return `removed ${shown}, an empty folder`;
  const aside = freeSetAsideName(path, now);
  fse.renameSync(path, aside);
  return `moved ${shown} to ${aside}`;
}
