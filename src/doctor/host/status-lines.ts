import { chainedIn, isOurStatusLine, ownCommandIn } from '../../install/plan/status-line.ts';
import type { Scope } from '../../install/plan/scopes.ts';
import { isObject } from '../../util/json.ts';
import { byWeight, type SettingsFile } from './settings-files.ts';

/** A status line in a settings file. */
export interface StatusLine {
  file: SettingsFile;
  value: unknown;
}

/** In order of precedence, the lowest first; the client shows only the last. */
export function statusLinesIn(files: readonly SettingsFile[]): StatusLine[] {
  return byWeight(files).flatMap((file) => {
    const { reading } = file;
    const value =
      reading.kind === 'json' && isObject(reading.json) ? reading.json['statusLine'] : undefined;
    return value === undefined ? [] : [{ file, value }];
  });
}

/** The user's own line that the client would show if it were not for ours, unless ours runs it first. */
export function hiddenOwnLine(lines: readonly StatusLine[]): StatusLine | null {
  const shown = lines.at(-1);
  if (!isOurStatusLine(shown?.value)) return null;
  const chained = chainedIn(shown.value.command);
  if (chained?.isInherited === false) return null;
  const own = lines.slice(0, -1).findLast(({ value }) => ownCommandIn(value) !== null);
  return own === undefined || ownCommandIn(own.value)?.['command'] === chained?.command
    ? null
    : own;
}

/** Whether the client would show less without the line of ours in this file. */
export function isNeeded(path: string, lines: readonly StatusLine[]): boolean {
  const line = lines.find(({ file }) => file.path === path);
  if (!isOurStatusLine(line?.value)) return false;
  const next = lines.findLast((other) => other !== line);
  return (
    !isOurStatusLine(next?.value) ||
    chainedIn(next.value.command)?.command !== chainedIn(line.value.command)?.command
  );
}

/** The settings files of status lines that are not shown beside the one in a scope. */
export interface HiddenStatusLine {
  /** Shown in place of ours. */
  hiddenBy: string | null;
  /** The user's own, in place of which ours is shown. */
  hides: string | null;
}

/** As it is once the scope has the status line. */
export function hiddenBeside(scope: Scope, files: readonly SettingsFile[]): HiddenStatusLine {
  const ordered = byWeight(files);
  const here = ordered.findIndex((file) => file.scope === scope && file.elsewhere === null);
  const above = statusLinesIn(ordered.slice(here + 1)).at(-1);
  if (above !== undefined)
    return { hiddenBy: isOurStatusLine(above.value) ? null : above.file.shown, hides: null };
  // The local scope runs the line that it would hide, and the user's hides none.
  const others = scope === 'project' ? statusLinesIn(ordered.slice(0, here + 1)) : [];
  const own = others.findLast(({ value }) => ownCommandIn(value) !== null);
  return { hiddenBy: null, hides: own?.file.scope === 'user' ? own.file.shown : null };
}
