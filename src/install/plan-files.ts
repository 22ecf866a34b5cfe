import { join } from 'node:path';
import { ownFiles } from './assets.ts';
import { isUntouched } from './own-file.ts';
import type { Places } from './scopes.ts';
import type { Change, Disk, InitRequest } from './types.ts';

export function initFiles(
  { disk, invocation }: InitRequest,
  places: Places,
): { changes: Change[]; kept: string[] } {
  const wanted = ownFiles(places, invocation);
  const changes: Change[] = [];
  const kept: string[] = [];
  for (const [path, after] of wanted) {
    const before = disk.read(path);
    if (before === after) continue;
    if (before === null || isUntouched(before)) changes.push({ path, before, after });
    else kept.push(path);
  }
  const { changes: removals } = removeFiles(disk, places);
  return { changes: [...changes, ...removals.filter(({ path }) => !wanted.has(path))], kept };
}

export function removeFiles(disk: Disk, places: Places): { changes: Change[]; kept: string[] } {
  const found = [places.commands, places.skill].flatMap((folder) =>
    disk.names(folder).flatMap((name) => {
      const before = disk.read(join(folder, name));
      return before === null ? [] : [{ path: join(folder, name), before }];
    }),
  );
  const own = found.filter(({ before }) => isUntouched(before));
  const kept = found.filter((file) => !own.includes(file)).map(({ path }) => path);
  return { changes: own.map((file) => ({ ...file, after: null })), kept };
}
