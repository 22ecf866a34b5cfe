import { basename, join } from 'node:path';
import { digestOf } from '../../io/digest.ts';
import { hookEntries, isBlockingHook, type HookEntry } from './hook-entry.ts';
import { backupFolder } from '../../io/runtime-paths.ts';
import type { EditedFile, Install } from '../record/record.ts';
import { misshapenPart, unmarked, withHooks, withoutHooks } from './settings-hooks.ts';
import { isBlank, misshapen, requireStrictJson } from './strict-settings.ts';
import { placesOf } from './scopes.ts';
import {
  isOurStatusLine,
  misshapenStatusLine,
  ownCommandIn,
  statusLineOf,
  withoutStatusLine,
  withStatusLine,
} from './status-line.ts';
import type { JsonObject } from '../../util/json.ts';
import { strictJsonProblem } from '../../util/strict-json.ts';
import type { Change, Disk, Edits, InitRequest, PlanRequest, SettingsEdits } from '../types.ts';

/** Hooks and, if it is asked for now or was before, the status line. */
export function initSettings(
  request: InitRequest,
  path: string,
  former: Install | undefined,
): SettingsEdits {
  const before = request.disk.read(path);
  requireStrictJson(path, before);
  const hasLine = request.withStatusLine || hasOurStatusLine(before);
  requireForm(path, before, hasLine);
  const base = isBlank(before) ? (before === null ? '{}\n' : '{}') : before;
  const first = original(request.disk, editedIn(former, path));
  const ownLine = former?.statusLine?.original;

  const hooks = withHooks(base, wantedHooks(request));
  const line = hasLine
    ? withStatusLine(hooks, request.statusLine, inheritedStatusLine(request), ownLine)
    : null;

  const text = line?.text ?? hooks;
  const isUnused = isEmptyObject(text) && typeof first !== 'string';
  const after = text === base ? before : isUnused ? null : text;
  const without = withoutUs(before, first, ownLine);
  return {
    ...edit(request, { path, before, after, without }, former),
    statusLine: line === null ? undefined : { original: line.original },
  };
}

/** A plugin brings all hooks but the blocking one. */
function wantedHooks({ command, isBlocking, hasPlugin }: InitRequest): HookEntry[] {
  return hookEntries(command, isBlocking).filter((entry) => !hasPlugin || isBlockingHook(entry));
}

function hasOurStatusLine(text: string | null): boolean {
  return !isBlank(text) && isOurStatusLine(statusLineOf(text));
}

/** One status line is shown, the local one before the project's before the user's: ours must not hide the others. */
function inheritedStatusLine({ scope, root, config, disk }: InitRequest): JsonObject | null {
  const hidden = scope === 'local' ? (['project', 'user'] as const) : [];
  for (const other of hidden) {
    const text = readIfValid(disk, placesOf(other, root, config).settings);
    const command = text === null ? null : ownCommandIn(statusLineOf(text));
    if (command !== null) return command;
  }
  return null;
}

/** null also for settings that the client ignores because they are not strict JSON. */
function readIfValid(disk: Disk, path: string): string | null {
  const text = disk.read(path);
  return isBlank(text) || strictJsonProblem(text) !== null ? null : text;
}

export function removeFromSettings(
  { disk }: PlanRequest,
  path: string,
  former: Install | undefined,
): Change[] {
  const before = disk.read(path);
  if (isBlank(before)) return [];
  const edited = editedIn(former, path);
  const first = original(disk, edited);
  if (first !== undefined && digestOf(before) === edited?.written) {
    return [{ path, before, after: first }];
  }
  requireStrictJson(path, before);
  const after = withoutUs(before, first, former?.statusLine?.original);
  return after === before ? [] : [{ path, before, after }];
}

/**
 * `first` is the original file. If there was none, or it is unknown, a file with nothing but our entries is removed.
 * `ownLine` is the status line that ours has replaced.
 */
function withoutUs(
  text: string | null,
  first: string | null | undefined,
  ownLine: string | null | undefined,
): string | null {
  if (isBlank(text)) return text;
  const before: unknown = isBlank(first) ? null : JSON.parse(unmarked(first));
  const left = withoutStatusLine(withoutHooks(text, before), ownLine);
  if (left === text) return text;
  return typeof first !== 'string' && isEmptyObject(left) ? null : left;
}

/** Some clients run no hook of a file with a malformed part. */
function requireForm(path: string, text: string | null, hasStatusLine: boolean): void {
  const json: unknown = isBlank(text) ? {} : JSON.parse(unmarked(text));
  const part = misshapenPart(json) ?? (hasStatusLine ? misshapenStatusLine(json) : null);
  if (part !== null) throw misshapen(path, part);
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
    edited: [{ path, backup, written }],
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
