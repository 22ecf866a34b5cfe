import { basename, join } from 'node:path';
import { digestOf } from '../../io/digest.ts';
import type { EditedFile, Install } from '../record/record.ts';
import { backupFolder } from '../../io/runtime-paths.ts';
import type { Change, Disk, Edits, PlanRequest } from '../types.ts';

/** `without`: the file as it would be without us, to which an uninstallation goes back. */
export function edit(
  { config }: PlanRequest,
  file: Change & { without: string | null },
  former: Install | undefined,
): Edits {
  const { path, before, after, without } = file;
  const known = editedIn(former, path);
  const written = digestOf(after ?? '');
  const change = after === before ? [] : [{ path, before, after }];
  if (known !== undefined && before !== null && digestOf(before) === known.written) {
    return { changes: change, backups: [], edited: [{ ...known, written }] };
  }
  const backup =
    without === null
      ? null
      : join(backupFolder(config), `${digestOf(path + without)}-${basename(path)}`);
  return {
    changes: change,
    backups: backup === null ? [] : [{ path: backup, before: null, after: without }],
    edited: [{ path, backup, found: digestOf(before ?? ''), written }],
  };
}

export function editedIn(install: Install | undefined, path: string): EditedFile | undefined {
  return install?.edited.find((entry) => entry.path === path);
}

/** The file as it was before us: null where there was none, undefined where that is not known. */
export function original(disk: Disk, known: EditedFile | undefined): string | null | undefined {
  if (known === undefined) return undefined;
  return known.backup === null ? null : (disk.read(known.backup) ?? undefined);
}
