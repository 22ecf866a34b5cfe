import { basename, join } from 'node:path';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { digestOf } from '../../io/digest.ts';
import { BLOCKING_EVENT, hookEntries, type HookEntry } from './hook-entry.ts';
import { backupFolder } from '../../io/runtime-paths.ts';
import type { EditedFile, Install } from '../record/record.ts';
import {
  misshapenPart,
  placesOfOurs,
  unmarked,
  withHooks,
  withoutHooks,
} from './settings-hooks.ts';
import { isBlank, requireStrictJson } from './strict-settings.ts';
import type { Change, Disk, Edits, InitRequest, PlanRequest } from '../types.ts';

export function initSettings(
  request: InitRequest,
  path: string,
  former: Install | undefined,
): Edits {
  const wanted = wantedHooks(request);
  if (wanted.length === 0)
    return { changes: removeFromSettings(request, path, former), backups: [], edited: [] };
  const before = request.disk.read(path);
  requireStrictJson(path, before);
  requireForm(path, before);
  const base = isBlank(before) ? (before === null ? '{}\n' : '{}') : before;
  const after = withHooks(base, wanted);
  const first = original(request.disk, editedIn(former, path));
  return edit(request, { path, before, after, without: withoutUs(before, first) }, former);
}

/** A plugin brings all hooks but the blocking one. */
function wantedHooks({ command, isBlocking, hasPlugin }: InitRequest): HookEntry[] {
  return hookEntries(command, isBlocking).filter(
    ({ event }) => !hasPlugin || event === BLOCKING_EVENT,
  );
}

export function removeFromSettings(
  { disk }: PlanRequest,
  path: string,
  former: Install | undefined,
): Change[] {
  const before = disk.read(path);
  if (isBlank(before)) return [];
  const known = editedIn(former, path);
  const first = original(disk, known);
  if (first !== undefined && digestOf(before) === known?.written) {
    return [{ path, before, after: first }];
  }
  requireStrictJson(path, before);
  if (placesOfOurs(before).length === 0) return [];
  return [{ path, before, after: withoutUs(before, first) }];
}

/** `first` is the original file. If there was none, or it is unknown, a file with nothing but our entries is removed. */
function withoutUs(text: string | null, first: string | null | undefined): string | null {
  if (isBlank(text) || placesOfOurs(text).length === 0) return text;
  const left = withoutHooks(text, isBlank(first) ? null : JSON.parse(unmarked(first)));
  return typeof first !== 'string' && isEmptyObject(left) ? null : left;
}

/** Some clients run no hook of a file with a malformed part. */
function requireForm(path: string, text: string | null): void {
  const part = isBlank(text) ? null : misshapenPart(JSON.parse(unmarked(text)));
  if (part !== null) throw new HoldfastError({ code: 'settings_misshapen', path, part });
}

function isEmptyObject(text: string): boolean {
  return /^\{\s*\}$/.test(unmarked(text).trim());
}

/** `without` is the file without our entries, which an uninstall restores. */
function edit(
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

function editedIn(install: Install | undefined, path: string): EditedFile | undefined {
  return install?.edited.find((entry) => entry.path === path);
}

/** The original file: null if there was none, undefined if that is unknown. */
function original(disk: Disk, known: EditedFile | undefined): string | null | undefined {
  if (known === undefined) return undefined;
  return known.backup === null ? null : (disk.read(known.backup) ?? undefined);
}
