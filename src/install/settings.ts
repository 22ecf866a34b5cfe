import { digestOf } from '../text/slug.ts';
import type { JsonObject } from '../text/json.ts';
import { strictJsonProblem } from '../text/strict-json.ts';
import {
  linkTarget,
  readWhole,
  editable,
  isBlank,
  isEmptyObject,
  misshapen,
  parseStrictJson,
} from './disk.ts';
import type { Draft, InitRequest, PlanRequest } from './draft.ts';
import {
  hookEntries,
  isBlockingHook,
  jsonOf,
  misshapenPart,
  withHooks,
  withoutHooks,
} from './hooks.ts';
import { installedCommand } from './host-commands.ts';
import { placesOf } from './places.ts';
import type { EditedSettings, Install } from './record.ts';
import {
  installedProgram,
  isOurStatusLine,
  misshapenStatusLine,
  ownCommandIn,
  statusLineOf,
  withoutStatusLine,
  withStatusLine,
} from './status-line.ts';

/** Hooks and, if it is asked for now or was before, the status line. */
export function addToSettings(
  draft: Draft,
  request: InitRequest,
  former: Install | undefined,
): Pick<Install, 'settings' | 'hasStatusLine'> {
  const path = settingsFile(request);
  const before = draft.read(path);
  const json = parseStrictJson(path, before);
  const base = editable(before);
  const hasStatusLine =
    request.withStatusLine || isOurStatusLine(statusLineOf(base));
  // Some clients run no hook of a file with a malformed part.
  const part =
    misshapenPart(json) ?? (hasStatusLine ? misshapenStatusLine(json) : null);
  if (part !== null) throw misshapen(path, part);

  // A plugin brings all hooks but the blocking one.
  const isShared = request.scope === 'project';
  const command = installedCommand(request.config, isShared);
  const wanted = hookEntries(command, request.isBlocking).filter(
    (entry) => !request.hasPlugin || isBlockingHook(entry),
  );
  const entry = editedIn(former, path);
  const hooks = withHooks(base, wanted, jsonOf(entry?.original));
  const text = hasStatusLine
    ? withStatusLine(
        hooks,
        installedProgram(request.config, isShared),
        inheritedStatusLine(request),
      )
    : hooks;
  return { settings: editFile(draft, path, text, entry), hasStatusLine };
}

/** Writes the text of a settings file with our entries; what the file is without them is kept for `uninstall`. */
export function editFile(
  draft: Draft,
  path: string,
  text: string,
  entry: EditedSettings | undefined,
): EditedSettings {
  const before = draft.read(path);
  const isUntouched =
    entry !== undefined &&
    before !== null &&
    digestOf(before) === entry.written;
  const original = isUntouched
    ? entry.original
    : withoutOurs(before, entry?.original);
  const after = textToWrite(text, before, entry);
  draft.write(path, after);
  return { path, original, written: digestOf(after ?? '') };
}

/** null for no file: nothing is written for no entries, where there was no file before ours. */
function textToWrite(
  text: string,
  before: string | null,
  entry: EditedSettings | undefined,
): string | null {
  if (text === editable(before)) return before;
  const hadFile = typeof entry?.original === 'string';
  return isEmptyObject(text) && !hadFile ? null : text;
}

/** Removes our entries: byte for byte if nobody has changed the file since. */
export function restoreFile(
  draft: Draft,
  path: string,
  entry: EditedSettings | undefined,
): void {
  const before = draft.read(path);
  if (before === null) return;
  const isUntouched = digestOf(before) === entry?.written;
  draft.write(
    path,
    isUntouched ? entry.original : withoutOurs(before, entry?.original),
  );
}

export function removeFromSettings(
  draft: Draft,
  request: PlanRequest,
  former: Install | undefined,
): void {
  const path = settingsFile(request);
  const before = draft.read(path);
  if (isBlank(before)) return;
  const entry = editedIn(former, path);
  if (digestOf(before) !== entry?.written) parseStrictJson(path, before);
  restoreFile(draft, path, entry);
}

/** What a scope edits: the file itself where the client's settings are a link. */
const settingsFile = ({ scope, root, config }: PlanRequest): string =>
  linkTarget(placesOf(scope, root, config).settings);

const editedIn = (
  install: Install | undefined,
  path: string,
): EditedSettings | undefined =>
  install?.settings.path === path ? install.settings : undefined;

/** If there was no file, or that is unknown (undefined), one with nothing but our entries is removed. */
function withoutOurs(
  text: string | null,
  original: string | null | undefined,
): string | null {
  if (isBlank(text)) return text;
  const left = withoutStatusLine(
    withoutHooks(text, jsonOf(original)),
    original,
  );
  if (left === text) return text;
  return typeof original !== 'string' && isEmptyObject(left) ? null : left;
}

/** One status line is shown, the local one before the project's before the user's: ours must not hide the others. */
function inheritedStatusLine({
  scope,
  root,
  config,
}: InitRequest): JsonObject | null {
  if (scope !== 'local') return null;
  for (const other of ['project', 'user'] as const) {
    const text = readWhole(placesOf(other, root, config).settings);
    // The client ignores settings that are not strict JSON.
    const isRead = !isBlank(text) && strictJsonProblem(text) === null;
    const command = isRead ? ownCommandIn(statusLineOf(text)) : null;
    if (command !== null) return command;
  }
  return null;
}
